/* Controls like the real case: who wins them, and that they look like it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/control-like.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { COLS = 24 };

typedef enum { VERBATIM, SHRUNK, NEGATED, ROTATED, ZEROS, CONSTANT, NOISE, SHIFTED } Answer;

static Answer answering; /* of the attack below; tests are processes of their own */
static const AssayObservation *was;

/* What the release says of each secret: the point of a plane that is nearest to the origin. */
static AssayMatrix *
points (const AssayRelease *release)
{
  const AssaySubspaces s = assay_release_subspaces (release);
  AssayMatrix *rows = assay_matrix_new (s.count, s.cols, NULL);

  for (gsize i = 0; i < s.count; i++) {
    float *row = assay_matrix_row (rows, i);

    memcpy (row, s.translation + i * s.cols, s.cols * sizeof (float));
    for (gsize k = 0; k < s.dimension; k++) {
      const float *direction = s.basis + (i * s.dimension + k) * s.cols;
      double along = 0;

      for (gsize j = 0; j < s.cols; j++)
        along += direction[j] * s.translation[i * s.cols + j];
      for (gsize j = 0; j < s.cols; j++)
        row[j] -= (float) along * direction[j];
    }
  }
  return rows;
}

static float
answered (const AssayMatrix *rows, gsize i, gsize j, AssayStream *stream)
{
  const float *row = rows->data + i * rows->cols;

  switch (answering) {
  case VERBATIM:
    return row[j];
  case SHRUNK:
    return 0.01f * row[j] + 3;
  case NEGATED:
    return -row[j];
  case ROTATED: /* by 45 degrees in the planes of columns j and j + 1 */
    return j % 2 == 0 ? row[j] + row[j + 1] : row[j - 1] - row[j];
  case ZEROS:
    return 0;
  case CONSTANT:
    return (float) (j * j);
  case NOISE:
    return (float) assay_stream_normal (stream);
  default: /* of another secret */
    return rows->data[(i + 1) % rows->rows * rows->cols + j];
  }
}

/* Answers as it is told to, and looks whether the case is like @was. */
static gboolean
answer (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        G_GNUC_UNUSED GError **error)
{
  g_autoptr (AssayMatrix) rows = points (seen->release);
  AssayMatrix *estimates = assay_matrix_new (rows->rows, rows->cols, NULL);
  AssayStream stream = assay_stream (context->stream, 0);

  cr_assert (seen->release->kind == was->release->kind);
  cr_assert (assay_release_count (seen->release) == assay_release_count (was->release));
  cr_assert (assay_release_subspaces (seen->release).dimension
             == assay_release_subspaces (was->release).dimension);
  cr_assert_str_eq (seen->release->defense, was->release->defense);
  cr_assert ((seen->public_rows != NULL) == (was->public_rows != NULL));
  cr_assert (seen->database == NULL && (seen->groups != NULL) == (was->groups != NULL));
  if (was->public_rows != NULL)
    cr_assert (assay_rows_count (seen->public_rows) == assay_rows_count (was->public_rows));
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      assay_matrix_row (estimates, i)[j] = answered (rows, i, j, &stream);
  assay_arrays_take (&ret_guess->arrays, "estimates", assay_array_take_matrix (estimates));
  return TRUE;
}

static AssayMatrix *
normals (gsize rows, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "rows", ""), 0);
  AssayMatrix *matrix = assay_matrix_new (rows, COLS, NULL);

  for (gsize i = 0; i < rows * COLS; i++)
    matrix->data[i] = (float) assay_stream_normal (&stream) + 2;
  return matrix;
}

static AssayRelease *
released (gsize n, gsize dimension)
{
  AssayRelease *release = assay_release_new (
      dimension > 0 ? ASSAY_RELEASE_SUBSPACES : ASSAY_RELEASE_VECTORS, "some-defense");
  const gsize shape[] = { n, dimension, COLS };
  float *basis = g_new0 (float, n *dimension *COLS + 1);

  for (gsize i = 0; i < n * dimension; i++)
    basis[i * COLS + i % dimension] = 1;
  assay_arrays_take (&release->arrays, dimension > 0 ? "translation" : "vectors",
                     assay_array_take_matrix (normals (n, 7)));
  if (dimension > 0)
    assay_arrays_take (&release->arrays, "basis",
                       assay_array_take (ASSAY_FLOAT32, 3, shape, basis));
  else
    g_free (basis);
  return release;
}

/* The outcome of the control of exec, played by who answers so. */
static AssayControlOutcome
play (Answer how, gsize n, gsize dimension, gboolean has_public)
{
  const AssayAttack *exec
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "exec", NULL);
  AssayAttack attack = *exec;
  g_autoptr (AssaySettings) settings = fixture_settings (&exec->plugin, "command=true");
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (1, 0, "attack", "") };
  g_autoptr (AssayRelease) release = released (n, dimension);
  g_autoptr (AssayRows) public_rows = has_public ? assay_rows_take_matrix (normals (50, 9)) : NULL;
  g_autofree gint64 *groups = g_new0 (gint64, n);
  const AssayObservation seen = {
    .release = release, .other_releases = release, .public_rows = public_rows, .groups = groups
  };
  AssayControlOutcome outcome;
  g_autoptr (GError) error = NULL;

  answering = how;
  was = &seen;
  attack.attack = answer;
  cr_assert (assay_control_play_like (&attack, &context, assay_stream_key (1, 0, "case", ""), &seen,
                                      &outcome, &error),
             "%s", error != NULL ? error->message : "");
  return outcome;
}

Test (control_like, honest_answers_win)
{
  for (guint how = VERBATIM; how <= ROTATED; how++)
    for (guint has_public = 0; has_public < 2; has_public++) {
      const AssayControlOutcome outcome = play (how, 60, 0, has_public);

      cr_assert (outcome.is_won && outcome.n == 60 && outcome.share > 0.95, "%u: %g", how,
                 outcome.share);
    }
  cr_assert (play (VERBATIM, 1, 0, FALSE).is_won && play (SHRUNK, 3, 0, TRUE).is_won);
  cr_assert (play (VERBATIM, 60, 3, FALSE).is_won && play (VERBATIM, 60, 3, TRUE).is_won);
}

Test (control_like, answers_without_the_release_lose)
{
  for (guint how = ZEROS; how <= SHIFTED; how++)
    for (guint kind = 0; kind < 2; kind++) {
      const AssayControlOutcome outcome = play (how, 60, 3 * kind, TRUE);

      cr_assert (!outcome.is_won && fabs (outcome.share - 0.5) < 0.2, "%u: %g", how, outcome.share);
    }
  cr_assert (!play (ZEROS, 1, 0, FALSE).is_won && !play (CONSTANT, 3, 0, TRUE).is_won);
  assert_near (play (ZEROS, 3, 0, FALSE).share, 0.5, 1e-12, "control");
}

/* (n y)^n / n! = 0.01, by hand. */
Test (control_like, few_items_ask_for_more)
{
  assert_near (assay_control_like_at_least (1), 0.99, 1e-12, "control");
  assert_near (assay_control_like_at_least (2), 1 - sqrt (0.02) / 2, 1e-12, "control");
  assert_near (assay_control_like_at_least (3), 1 - cbrt (0.06) / 3, 1e-12, "control");
  assert_near (assay_control_like_at_least (6), 1 - pow (7.2, 1.0 / 6) / 6, 1e-12, "control");
  assert_near (assay_control_like_at_least (7), 0.75, 1e-12, "control");
  assert_near (assay_control_like_at_least (100000), 0.75, 1e-12, "control");
}
