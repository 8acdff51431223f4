/* Mechanism of pitq. */
#include "defenses/codes/pitq-mechanism.h"

#include <string.h>

#include "defenses/codes/itq-rotation.h"

static FlippingGame
game_of (const Pitq *settings)
{
  FlippingGame game = { .relation = settings->relation,
                        .looks_at = settings->looks_at,
                        .records = (gsize) settings->records,
                        .bits = (gsize) settings->bits,
                        .rounds = (gsize) settings->iterations };

  flipping_chances (FLIPPING_PAPER, settings->epsilon / (double) settings->iterations, &game.kept,
                    &game.turned);
  return game;
}

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const Pitq *settings = data;

  return flipping_budget (FLIPPING_PAPER, settings->relation, settings->epsilon,
                          (gsize) settings->bits);
}

FLIPPING_CALLBACKS (Pitq)

/* What is returned of a dataset: U, n x c, and R, c x c. */
static void
size (gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const FlippingGame game = game_of (data);

  *ret_inputs = flipping_inputs (&game, cols);
  if (game.relation != FLIPPING_RECORD)
    *ret_outputs = flipping_outputs (&game);
  else
    *ret_outputs = game.records * game.bits
                   + (game.looks_at == FLIPPING_SEES_ALL ? game.bits * game.bits : 0);
}

/* ---- Small datasets ---- */

static void
duplicate_pair (const FlippingGame *game, gsize cols, float *ret_first, float *ret_second)
{
  memset (ret_first, 0, 2 * cols * sizeof (float));
  ret_first[0] = ret_first[cols] = 2;
  for (gsize i = 2; i < game->records; i++) {
    float *record = ret_first + i * cols;

    record[0] = i % 2 == 0 ? 1 : -1;
    flipping_fill_rest (i - 2, cols, record);
  }
  memcpy (ret_second, ret_first, game->records * cols * sizeof (float));
  ret_second[cols] = -2;
}

static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const FlippingGame game = game_of (data);

  if (game.relation != FLIPPING_RECORD)
    flipping_pair (&game, index, stream, ret_first, ret_second);
  else if (index == 0)
    duplicate_pair (&game, cols, ret_first, ret_second);
  else
    flipping_random_datasets (&game, cols, stream, ret_first, ret_second);
}

static ItqSettings
draw_settings (const FlippingGame *game, AssayStream *stream)
{
  return (ItqSettings){ .iterations = game->rounds,
                        .beta = game->turned,
                        .start = flipping_key (stream),
                        .flips = flipping_key (stream) };
}

/* Algorithm 3 from the embedding on, which depends on the dataset alone. */
static void
run_on_records (const FlippingGame *game, gsize cols, AssayStream *stream, const float *input,
                gsize count, float *ret_outputs)
{
  const gsize signs = game->records * game->bits, bits = game->bits;
  const gboolean sees_all = game->looks_at == FLIPPING_SEES_ALL;
  const gsize n_outputs = signs + (sees_all ? bits * bits : 0);
  g_autoptr (ItqEmbedding) embedding
      = itq_embedding_new ((AssayView){ game->records, cols, cols, input }, bits, NULL);

  for (gsize i = 0; i < count; i++) {
    const ItqSettings settings = draw_settings (game, stream);
    float *output = ret_outputs + i * n_outputs;

    /* It fails only where memory ends; that nothing is released is an output too. */
    if (embedding == NULL
        || !pitq_run (embedding, &settings, output, sees_all ? output + signs : NULL, NULL))
      memset (output, 0, n_outputs * sizeof (float));
  }
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const FlippingGame game = game_of (data);

  if (game.relation != FLIPPING_RECORD)
    flipping_run (&game, stream, input, count, ret_outputs);
  else
    run_on_records (&game, cols, stream, input, count, ret_outputs);
}

gboolean
pitq_mechanism_check (const Pitq *settings, const AssayShape *shape, GError **error)
{
  const FlippingGame game = game_of (settings);
  const gsize cols = shape->cols, numbers = game.records * cols;
  g_autofree float *pair_of = NULL;

  if (game.relation != FLIPPING_RECORD || cols == 0)
    return TRUE;
  pair_of = g_new (float, 2 * numbers);
  duplicate_pair (&game, cols, pair_of, pair_of + numbers);
  for (gsize side = 0; side < 2; side++) {
    AssayStream stream = assay_stream (assay_stream_key (0, 0, "pitq-check", ""), side);
    const AssayView dataset = { game.records, cols, cols, pair_of + side * numbers };
    const ItqSettings drawn = draw_settings (&game, &stream);
    g_autoptr (AssayHashFunction) function
        = itq_function_new (dataset, game.bits, &drawn, NULL, error);

    if (function == NULL) {
      g_prefix_error (error, "relation = record, %zu records of %zu numbers: ", game.records, cols);
      return FALSE;
    }
  }
  return TRUE;
}

const AssayMechanism pitq_mechanism = FLIPPING_MECHANISM;
