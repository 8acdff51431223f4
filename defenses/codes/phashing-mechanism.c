/* Mechanism of phashing. */
#include "defenses/codes/phashing-mechanism.h"

#include <string.h>

void
phashing_chances (const PHashing *settings, double *ret_kept, double *ret_turned)
{
  flipping_chances (settings->calibration, settings->epsilon, ret_kept, ret_turned);
}

static FlippingGame
game_of (const PHashing *settings)
{
  FlippingGame game = { .relation = settings->relation,
                        .looks_at = settings->looks_at,
                        .records = (gsize) settings->records,
                        .bits = (gsize) settings->bits,
                        .rounds = 1 };

  phashing_chances (settings, &game.kept, &game.turned);
  return game;
}

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const PHashing *settings = data;

  return flipping_budget (settings->calibration, settings->relation, settings->epsilon,
                          (gsize) settings->bits);
}

FLIPPING_CALLBACKS (PHashing)

/* What is returned of a dataset: n codes, and with the function its mean and projection. */
static void
size (gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const FlippingGame game = game_of (data);

  *ret_inputs = flipping_inputs (&game, cols);
  if (game.relation != FLIPPING_RECORD)
    *ret_outputs = flipping_outputs (&game);
  else
    *ret_outputs = game.records * game.bits
                   + (game.looks_at == FLIPPING_SEES_ALL ? (1 + game.bits) * cols : 0);
}

/* ---- Small datasets ---- */

static void
outlier_pair (const FlippingGame *game, gsize cols, float *ret_first, float *ret_second)
{
  for (gsize i = 0; i < game->records; i++) {
    float *record = ret_first + i * cols;

    record[0] = i % 2 == 0 ? 1 : -1;
    flipping_fill_rest (i, cols, record);
  }
  memcpy (ret_second, ret_first, game->records * cols * sizeof (float));
  ret_first[0] = 16;
  ret_second[0] = 0;
}

static void
pair (gconstpointer data, gsize cols, guint index, AssayStream *stream, float *ret_first,
      float *ret_second)
{
  const FlippingGame game = game_of (data);

  if (game.relation != FLIPPING_RECORD)
    flipping_pair (&game, index, stream, ret_first, ret_second);
  else if (index == 0)
    outlier_pair (&game, cols, ret_first, ret_second);
  else
    flipping_random_datasets (&game, cols, stream, ret_first, ret_second);
}

/* The release of @dataset with fresh randomness in all of its parts. */
static gboolean
release_dataset (const PHashing *settings, AssayView dataset, AssayStream *stream,
                 AssayRelease **ret_release, GError **error)
{
  const AssayDefenseContext context = { .settings = settings,
                                        .stream = flipping_key (stream),
                                        .common_stream = flipping_key (stream) };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_CODES, "phashing");
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  if (!phashing_protect (&context, dataset, release, truth, error))
    return FALSE;
  *ret_release = g_steal_pointer (&release);
  return TRUE;
}

static void
copy_floats (const AssayRelease *release, const char *name, gsize count, float *ret_values)
{
  memcpy (ret_values, assay_arrays_get (&release->arrays, name)->data, count * sizeof (float));
}

static void
run_on_records (const PHashing *settings, gsize cols, AssayStream *stream, const float *input,
                float *ret_output)
{
  const FlippingGame game = game_of (settings);
  const AssayView dataset = { game.records, cols, cols, input };
  g_autoptr (AssayRelease) release = NULL;
  const AssayArray *codes;

  /* Of random datasets there may be no hash function; that nothing is released is an output too. */
  if (!release_dataset (settings, dataset, stream, &release, NULL)) {
    gsize n_inputs, n_outputs;

    size (settings, cols, &n_inputs, &n_outputs);
    for (gsize j = 0; j < n_outputs; j++)
      ret_output[j] = -1;
    return;
  }
  codes = assay_arrays_get (&release->arrays, "codes");
  for (gsize i = 0; i < game.records; i++)
    for (gsize j = 0; j < game.bits; j++)
      *ret_output++ = assay_code_bit (codes->data + i * assay_code_bytes (game.bits), j) ? 1 : 0;
  if (game.looks_at != FLIPPING_SEES_ALL)
    return;
  copy_floats (release, "mean", cols, ret_output);
  copy_floats (release, "projection", game.bits * cols, ret_output + cols);
}

static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const FlippingGame game = game_of (data);
  gsize n_inputs, n_outputs;

  if (game.relation != FLIPPING_RECORD) {
    flipping_run (&game, stream, input, count, ret_outputs);
    return;
  }
  size (data, cols, &n_inputs, &n_outputs);
  for (gsize i = 0; i < count; i++)
    run_on_records (data, cols, stream, input, ret_outputs + i * n_outputs);
}

gboolean
phashing_mechanism_check (const PHashing *settings, const AssayShape *shape, GError **error)
{
  const FlippingGame game = game_of (settings);
  const gsize cols = shape->cols, numbers = game.records * cols;
  g_autofree float *pair_of = NULL;

  if (game.relation != FLIPPING_RECORD || cols == 0)
    return TRUE;
  pair_of = g_new (float, 2 * numbers);
  outlier_pair (&game, cols, pair_of, pair_of + numbers);
  for (gsize side = 0; side < 2; side++) {
    AssayStream stream = assay_stream (assay_stream_key (0, 0, "phashing-check", ""), side);
    const AssayView dataset = { game.records, cols, cols, pair_of + side * numbers };
    g_autoptr (AssayRelease) release = NULL;

    if (!release_dataset (settings, dataset, &stream, &release, error)) {
      g_prefix_error (error, "relation = record, %zu records of %zu numbers: ", game.records, cols);
      return FALSE;
    }
  }
  return TRUE;
}

const AssayMechanism phashing_mechanism = FLIPPING_MECHANISM;
