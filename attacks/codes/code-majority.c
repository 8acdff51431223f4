/* Bits by majority: what randomised codes were before, from several releases of them ("averaging"
 * of repeated releases; Random Flipping of PHashing, algorithm 1, turns each bit with probability
 * beta, independently in every release).
 *
 * Release: codes, n x c bits, and `repeats` further ones of the same secrets. Guess: the value that
 * a bit has in most releases (in half of them: the one under attack decides), turned where bits are
 * flipped with probability above 1/2. One release alone is its own guess. With R releases a bit is
 * right with the probability that a binomial of R trials and 1 - beta exceeds R / 2, which goes to
 * 1 for every beta other than 1/2. */
#include <math.h>

#include "attacks/codes/released-codes.h"
#include "core/plugin/callbacks.h"

typedef struct {
  gint64 repeats;
  double flip_probability;
} CodeMajority;

ASSAY_OF_SETTINGS (gsize, repeats, CodeMajority, (gsize) settings->repeats)

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const CodeMajority *settings = context->settings;
  const gboolean is_negated = settings->flip_probability > 0.5;
  const AssayArray *codes = assay_arrays_get (&seen->release->arrays, "codes");
  g_autoptr (AssayMatrix) mean
      = released_codes_mean (seen, (gsize) settings->repeats, is_negated, error);
  AssayArray *guessed;

  if (mean == NULL)
    return FALSE;
  for (gsize i = 0; i < mean->rows; i++)
    for (gsize j = 0; j < mean->cols; j++) {
      float *value = assay_matrix_row (mean, i) + j;

      if (fabsf (*value) < 1e-6f)
        *value = assay_code_bit (codes->data + i * codes->shape[1], j) != is_negated ? 1 : -1;
    }
  guessed = assay_codes_pack (assay_matrix_view (mean), error);
  if (guessed == NULL)
    return FALSE;
  assay_arrays_take (&ret_guess->arrays, "codes", guessed);
  return TRUE;
}

/* ---- The control ---- */

#define CONTROL_SECRETS 20
#define CONTROL_BITS 40

/* One of the releases, in turn another for each bit, has the bit wrong: every majority is right. */
static AssayRelease *
control_repeat (const AssayArray *codes, gsize release, gsize n_releases, gboolean is_negated)
{
  AssayRelease *made = assay_release_new (ASSAY_RELEASE_CODES, "control");
  guint8 *bytes = g_memdup2 (codes->data, assay_array_count (codes));

  for (gsize i = 0; i < codes->shape[0]; i++)
    for (gsize j = 0; j < CONTROL_BITS; j++)
      if ((n_releases > 2 && (i + j) % n_releases == release) != is_negated)
        bytes[i * codes->shape[1] + j / 8] ^= (guint8) (1 << (j % 8));
  assay_arrays_take (&made->arrays, "codes",
                     assay_array_take (ASSAY_UINT8, 2, codes->shape, bytes));
  made->bits = CONTROL_BITS;
  return made;
}

static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const CodeMajority *settings = data;
  const gsize n_releases = (gsize) settings->repeats + 1;
  const gboolean is_negated = settings->flip_probability > 0.5;
  const AssayArray *codes;

  if (!released_codes_control (CONTROL_SECRETS, 8, CONTROL_BITS, key, ret_case, error))
    return FALSE;
  codes = assay_arrays_get (&ret_case->truth->arrays, "codes");
  assay_release_free (ret_case->release);
  ret_case->release = control_repeat (codes, 0, n_releases, is_negated);
  ret_case->repeats = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
  for (gsize r = 1; r < n_releases; r++)
    g_ptr_array_add (ret_case->repeats, control_repeat (codes, r, n_releases, is_negated));
  return TRUE;
}

ASSAY_ATTACK (code_majority, "code-majority",
  .summary = "Guess the bits of codes before they were randomised, by majority over several "
             "releases",
  .reference = { "PHashing and PITQ (private hashing)", "algorithm 1; the attack is ours" },
  ASSAY_SETTINGS (CodeMajority,
    ASSAY_PARAM_INT (CodeMajority, repeats, 4, 0, 1023, "",
                     "How many further releases of the same secrets it reads"),
    ASSAY_PARAM_REAL (CodeMajority, flip_probability, 0, 0, 1, "",
                      "Probability with which the defense flips a bit, which the attacker knows; "
                      "above 1/2 majorities are inverted")),
  .reads = ASSAY_RELEASE_CODES,
  .game = ASSAY_GAME_RECONSTRUCT,
  .repeats = repeats,
  .attack = attack,
  .control = { .says = "bits that are wrong in one release each are found",
               .make = make_control,
               .at_least = 1 });
