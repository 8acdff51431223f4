/* Was this record trained on? A step of training moves the model to where it fits the samples of
 * that step better, so that a record x of class c which was among them has a larger margin on the
 * way than others of its class. For a direction D (classes x width) the attack scores
 *   sum_k y_k (D_k . x),   y_k = 1 for the class of x and -1 for the others,
 * less the mean of its class and by its deviation, since classes are learned to different degrees.
 * Where the class of a record is not known it is the one of the highest score.
 *
 * Directions, by what is known: what each user's messages added to the public models (`messages`),
 * of which a record has the highest score of all users, as whose it would be is not known; or what
 * the models changed by in all, which everybody sees (`change`).
 *
 * Source: the reading of Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual
 * Learning Using Doubly Permuted Homomorphic Encryption"; attack ours, after Nasr, Shokri and
 * Houmansadr 2019, "Comprehensive Privacy Analysis of Deep Learning", section III-A, who let a
 * network learn of the same products. */
#include <math.h>
#include <string.h>

#include "attacks/updates/samples/update-control.h"
#include "core/data/kinds/updates.h"
#include "core/math/linalg.h"
#include "core/plugin/plugin.h"

typedef enum { BY_WHAT_IS_KNOWN, BY_MESSAGES, BY_CHANGE } Direction;

static const char *const direction_names[] = { "auto", "messages", "change", NULL };

typedef struct {
  guint direction;
} UpdateMembership;

/* Records as users saw them, and what is known of each. */
typedef struct {
  AssayMatrix *rows;    /* n x width: scaled, with a column of ones where there is a bias */
  const gint64 *labels; /* NULL: not known */
  gsize classes;
} Records;

/* ---- Directions ---- */

/* Adds what @sent learned, its difference; or, where weights are 0, those that are held less what
 * the penalty made of them, without which it would be most of the way:
 *   sent = a before - p sign (sent) + learned,
 * a and p by least squares, since they are the same for all weights. */
static void
add_learned (const float *before, const float *sent, gsize n, float *inout_direction)
{
  double bb = 0, bs = 0, ss = 0, yb = 0, ys = 0, determinant, a = 1, p = 0;

  for (gsize i = 0; i < n; i++) {
    const double b = (double) before[i], y = (double) sent[i], s = (y > 0) - (y < 0);

    if (y == 0)
      continue;
    bb += b * b;
    bs += b * s;
    ss += s * s;
    yb += y * b;
    ys += y * s;
  }
  determinant = bb * ss - bs * bs;
  if (ss < (double) n && determinant > 0) {
    a = (yb * ss - ys * bs) / determinant;
    p = (yb * bs - ys * bb) / determinant;
  }
  for (gsize i = 0; i < n; i++) {
    const double y = (double) sent[i], s = (y > 0) - (y < 0);

    if (y != 0)
      inout_direction[i] += (float) (y - a * (double) before[i] + p * s);
  }
}

/* Adds what user @user learned, over all steps. */
static void
add_user (const AssayRelease *release, AssayView locals, gsize user, float *inout_direction)
{
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  const gsize steps = models.rows - 1, users = locals.rows / steps;

  for (gsize t = 0; t < steps; t++)
    add_learned (assay_view_row (models, t), assay_view_row (locals, t * users + user), models.cols,
                 inout_direction);
}

static AssayMatrix *
read_directions (const UpdateMembership *settings, const AssayRelease *release, GError **error)
{
  const AssayView models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  const AssayArray *messages = assay_arrays_get (&release->arrays, "locals");
  const gboolean has_messages = messages != NULL && settings->direction != BY_CHANGE;
  const gsize users = has_messages ? messages->shape[0] / (models.rows - 1) : 1;
  AssayMatrix *directions;

  if (messages == NULL && settings->direction == BY_MESSAGES)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "direction = messages: the release has no messages in clear; expected "
                            "'locals', updates as users sent them (grant 'messages')");
  directions = assay_matrix_new (users, models.cols, error);
  for (gsize u = 0; directions != NULL && u < users; u++) {
    float *direction = assay_matrix_row (directions, u);

    memset (direction, 0, models.cols * sizeof *direction);
    if (has_messages)
      add_user (release, assay_array_view (messages), u, direction);
    else
      for (gsize t = 0; t + 1 < models.rows; t++)
        add_learned (assay_view_row (models, t), assay_view_row (models, t + 1), models.cols,
                     direction);
  }
  return directions;
}

/* ---- Records ---- */

/* As users scale their columns, and shorten rows where they do. */
static void
scale_row (const AssayRelease *release, gsize cols, float *inout_row)
{
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");
  const AssayArray *deviation = assay_arrays_get (&release->arrays, "deviation");
  const bool *shortened = ASSAY_PARAMETER (release, AssayUpdatesParameters, shortened);
  double length = 0;

  for (gsize j = 0; j < cols && mean != NULL && deviation != NULL; j++)
    inout_row[j]
        = (inout_row[j] - ((const float *) mean->data)[j]) / ((const float *) deviation->data)[j];
  if (shortened == NULL || !*shortened)
    return;
  for (gsize j = 0; j < cols; j++)
    length += (double) inout_row[j] * (double) inout_row[j];
  for (gsize j = 0; j < cols && length > 1; j++)
    inout_row[j] = (float) ((double) inout_row[j] / sqrt (length));
}

static AssayMatrix *
read_records (const AssayObservation *seen, gsize width, GError **error)
{
  const gsize n = assay_rows_count (seen->records), cols = assay_rows_cols (seen->records);
  AssayMatrix *rows;

  if (cols != width && cols + 1 != width)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "records have %zu columns; expected the %zu that the models are of",
                            cols, width);
  rows = assay_matrix_new (n, width, error);
  for (gsize i = 0; rows != NULL && i < n; i++) {
    float *row = assay_matrix_row (rows, i);

    row[width - 1] = 1;
    assay_rows_read (seen->records, i, 1, ASSAY_SCALE_NONE, row);
    scale_row (seen->release, cols, row);
  }
  return rows;
}

/* ---- Scores ---- */

/* sum_k y_k p_k of one record, of a class that is known or the best one. */
static double
margin (const float *products, gsize classes, const gint64 *label)
{
  double sum = 0, most = -INFINITY;

  for (gsize k = 0; k < classes; k++) {
    sum += (double) products[k];
    most = MAX (most, (double) products[k]);
  }
  if (label != NULL && *label >= 0 && (gsize) *label < classes)
    most = (double) products[*label];
  return 2 * most - sum;
}

/* Less the mean of the record's class and by its deviation; equal scores say nothing. */
static void
standardise (const Records *records, double *inout_scores)
{
  const gsize n = records->rows->rows, classes = records->labels != NULL ? records->classes : 1;
  g_autofree double *sums = g_new0 (double, 3 * classes);

  for (gsize i = 0; i < n; i++) {
    double *of = sums + 3 * (records->labels != NULL ? (gsize) records->labels[i] : 0);

    of[0] += 1;
    of[1] += inout_scores[i];
    of[2] += inout_scores[i] * inout_scores[i];
  }
  for (gsize i = 0; i < n; i++) {
    const double *of = sums + 3 * (records->labels != NULL ? (gsize) records->labels[i] : 0);
    const double mean = of[1] / of[0], variance = of[2] / of[0] - mean * mean;

    inout_scores[i] = variance > 0 ? (inout_scores[i] - mean) / sqrt (variance) : 0;
  }
}

/* The highest score of all directions. */
static gboolean
score (const Records *records, const AssayMatrix *directions, float *ret_scores, GError **error)
{
  const gsize n = records->rows->rows, width = records->rows->cols, classes = records->classes;
  g_autoptr (AssayMatrix) products = assay_matrix_new (n, classes, error);
  g_autofree double *scores = assay_alloc (n, sizeof *scores, "scores", error);

  if (products == NULL || scores == NULL)
    return FALSE;
  for (gsize u = 0; u < directions->rows; u++) {
    const AssayView direction
        = assay_view_of (assay_matrix_row ((AssayMatrix *) directions, u), classes, width);

    assay_linalg_product (ASSAY_NT, assay_matrix_view (records->rows), direction, products->data,
                          classes);
    for (gsize i = 0; i < n; i++)
      scores[i] = margin (assay_matrix_row (products, i), classes,
                          records->labels != NULL ? &records->labels[i] : NULL);
    standardise (records, scores);
    for (gsize i = 0; i < n; i++)
      ret_scores[i] = u == 0 ? (float) scores[i] : MAX (ret_scores[i], (float) scores[i]);
  }
  return TRUE;
}

/* ---- The attack ---- */

/* Classes of records are of those that models have, or none is believed. */
static const gint64 *
known_labels (const AssayObservation *seen, gsize classes)
{
  for (gsize i = 0; seen->record_labels != NULL && i < assay_rows_count (seen->records); i++)
    if (seen->record_labels[i] < 0 || (gsize) seen->record_labels[i] >= classes)
      return NULL;
  return seen->record_labels;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const gsize width = assay_updates_width (seen->release), n = assay_rows_count (seen->records);
  const gsize weights = assay_arrays_get (&seen->release->arrays, "models")->shape[1];
  const gsize classes = weights / width;
  g_autoptr (AssayMatrix) directions = read_directions (context->settings, seen->release, error);
  g_autoptr (AssayMatrix) rows = directions != NULL ? read_records (seen, width, error) : NULL;
  const Records records
      = { .rows = rows, .labels = known_labels (seen, classes), .classes = classes };
  g_autofree float *scores = assay_alloc (n, sizeof *scores, "scores of records", error);

  if (rows == NULL || scores == NULL || !score (&records, directions, scores, error))
    return FALSE;
  ret_guess->says = g_strdup_printf ("along %zu direction%s, of records of %s classes",
                                     directions->rows, directions->rows == 1 ? "" : "s",
                                     records.labels != NULL ? "known" : "guessed");
  assay_arrays_take (&ret_guess->arrays, "member-scores",
                     assay_array_take (ASSAY_FLOAT32, 1, &n, g_steal_pointer (&scores)));
  return TRUE;
}

/* ---- The control ---- */

enum { USERS = 12, COLS = 256 };

/* The samples that one step was made of, and as many others. */
static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  const UpdateControl control = { .training = { .classes = 4, .cols = COLS, .rate = 1e-2 },
                                  .users = USERS,
                                  .steps = 1,
                                  .has_locals = TRUE };

  return update_control_draw (&control, &stream, ret_case, error)
         && assay_control_hide_members (
             ret_case, assay_control_normals (2 * USERS, COLS, &stream, error), &stream);
}

/* Directions, and twice the records. */
ASSAY_MEMORY (memory, void,
              (shape->n_outputs * shape->n_members + shape->n_secrets * 4 * shape->cols)
                  * sizeof (float))

ASSAY_ATTACK (update_membership, "update-membership",
  .summary = "Tell from how models moved whether a record was trained on",
  .reference = { ASSAY_PAPER_DPHE, "section 2.5; the attack is ours" },
  ASSAY_SETTINGS (UpdateMembership,
    ASSAY_PARAM_CHOICE (UpdateMembership, direction, BY_WHAT_IS_KNOWN, direction_names,
                        "Direction along which records are scored: of each user's messages, or of "
                        "the change of the models; auto: of messages where they are known")),
  .memory = memory,
  .reads = ASSAY_RELEASE_UPDATES,
  .needs = ASSAY_GRANT_NONE,
  .game = ASSAY_GAME_MEMBER,
  .attack = attack,
  .control = { .says = "the samples of one step are told from as many others",
               .make = make_control,
               .at_least = 0.9 });
