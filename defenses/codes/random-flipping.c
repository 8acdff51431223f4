/* Random Flipping: for every bit, k < beta turns it, k ~ U(0, 1). */
#include "defenses/codes/random-flipping.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "defenses/mechanisms/coin.h"

#define WORDS (gsize) 64 /* random words that are drawn at once */
#define PANEL (gsize) 256

gboolean
random_flipping_check (double beta, GError **error)
{
  if (beta >= 0 && beta < 1)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "flip probability beta = %g: expected at least 0 and less than 1", beta);
}

/* Throws for @count bits, at most WORDS: 1 turns. */
static void
throw_bits (const Coin *coin, AssayStream *stream, gsize count, float *ret_turns)
{
  guint32 words[WORDS];

  assay_stream_fill_u32 (stream, count, words);
  coin_throw_all (coin, words, count, stream, ret_turns);
}

void
random_flipping_signs (double beta, AssayStream *stream, gsize count, float *inout_signs)
{
  const Coin coin = coin_new (beta, 1 - beta);
  float turns[WORDS];

  for (gsize first = 0; first < count; first += WORDS) {
    const gsize n = MIN (WORDS, count - first);

    throw_bits (&coin, stream, n, turns);
    for (gsize j = 0; j < n; j++)
      inout_signs[first + j] *= 1 - 2 * turns[j];
  }
}

typedef struct {
  AssayStreamKey key;
  Coin coin;
  gsize n, bits;
  guint8 *codes; /* n x bytes */
} Flipping;

static void
flip_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Flipping *job = data;
  const gsize bytes = assay_code_bytes (job->bits);
  const gsize end = MIN ((panel + 1) * PANEL, job->n);
  float turns[WORDS];

  for (gsize i = panel * PANEL; i < end; i++) {
    AssayStream stream = assay_stream (job->key, i);
    guint8 *code = job->codes + i * bytes;

    for (gsize first = 0; first < job->bits; first += WORDS) {
      const gsize n = MIN (WORDS, job->bits - first);

      throw_bits (&job->coin, &stream, n, turns);
      for (gsize j = 0; j < n; j++)
        code[(first + j) / 8] ^= (guint8) ((turns[j] > 0) << ((first + j) % 8));
    }
  }
}

AssayArray *
random_flipping_apply (const AssayArray *codes, gsize bits, double beta, AssayStreamKey key,
                       GError **error)
{
  const gsize n = codes->shape[0], bytes = assay_code_bytes (bits);
  guint8 *turned;

  g_assert (codes->type == ASSAY_UINT8 && codes->n_dimensions == 2 && codes->shape[1] == bytes);
  if (!random_flipping_check (beta, error))
    return NULL;
  turned = assay_alloc (n * bytes, 1, "codes", error);
  if (turned == NULL)
    return NULL;
  memcpy (turned, codes->data, n * bytes);
  assay_parallel_for ((n + PANEL - 1) / PANEL, flip_panel,
                      &(Flipping){ key, coin_new (beta, 1 - beta), n, bits, turned });
  return assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ n, bytes }, turned);
}
