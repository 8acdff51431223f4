/* The steps of an audit. */
#include "runner/run/steps.h"

#include <math.h>

#include "core/base/json.h"
#include "core/base/progress/loop.h"
#include "core/base/vectors.h"
#include "core/data/formats/label-sets.h"
#include "core/games/control-like.h"
#include "core/games/control.h"

static const gint64 *
numbers_of (const AssayTruth *truth, const char *name)
{
  const AssayArray *array = assay_arrays_get (&truth->arrays, name);

  return array != NULL ? assay_array_int64 (array) : NULL;
}

/* The public row that is another record of each secret. The truth of a defense that mixed public
 * rows in has rows of images there. */
static const gint64 *
counterparts_of (const AssayTruth *truth, gsize n)
{
  const AssayArray *partners = assay_arrays_get (&truth->arrays, "partners");

  return partners != NULL && partners->shape[0] == n && partners->shape[1] == 1
                 && assay_arrays_get (&truth->arrays, "sources") == NULL
             ? assay_array_int64 (partners)
             : NULL;
}

gboolean
assay_secrets_of (const AssayTruth *truth, AssaySecrets *ret_secrets, GError **error)
{
  const AssayArray *frames = assay_arrays_get (&truth->arrays, "frames");
  const AssayArray *attributes = assay_arrays_get (&truth->arrays, "attributes");
  AssaySecrets secrets = { .rows = assay_array_view (assay_arrays_get (&truth->arrays, "secrets")),
                           .groups = numbers_of (truth, "groups"),
                           .labels = numbers_of (truth, "labels"),
                           .label_sets = numbers_of (truth, "label-sets"),
                           .label_words = assay_label_sets_words (
                               assay_arrays_get (&truth->arrays, "label-sets")),
                           .attributes = numbers_of (truth, "attributes"),
                           .n_attributes = attributes != NULL ? attributes->shape[1] : 0,
                           .frames = frames != NULL ? assay_array_view (frames).data : NULL,
                           .edges = assay_arrays_get (&truth->arrays, "edges"),
                           .first_cols = assay_truth_first_cols (truth),
                           .geometry = truth->geometry };

  if (frames != NULL && frames->shape[1] != 4)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "frames have %zu columns, expected 4 (x, y, size, angle)", frames->shape[1]);
  for (gsize i = 0; secrets.labels != NULL && i < secrets.rows.rows; i++) {
    if (secrets.labels[i] < 0)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "label of secret %zu is %" G_GINT64_FORMAT ", expected classes from 0", i,
                         secrets.labels[i]);
    secrets.n_classes = MAX (secrets.n_classes, (gsize) secrets.labels[i] + 1);
  }
  secrets.counterparts = counterparts_of (truth, secrets.rows.rows);
  *ret_secrets = secrets;
  return TRUE;
}

/* Adds what is known of the n secrets: @cols numbers of each (0: one, as an array of n). */
static void
add_known (AssayTruth *truth, const char *name, AssayType type, gconstpointer values, gsize n,
           gsize cols)
{
  const gsize shape[] = { n, cols };

  if (values != NULL && n > 0)
    assay_arrays_take (
        &truth->arrays, name,
        assay_array_take (type, cols > 0 ? 2 : 1, shape,
                          g_memdup2 (values, n * MAX (cols, 1) * assay_type_size (type))));
}

AssayTruth *
assay_truth_of (const AssaySecrets *secrets, GError **error)
{
  AssayMatrix *copy = assay_matrix_copy (secrets->rows, error);
  const gsize n = secrets->rows.rows;
  AssayTruth *truth;

  if (copy == NULL)
    return NULL;
  truth = assay_truth_new ();
  truth->geometry = secrets->geometry;
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (copy));
  add_known (truth, "groups", ASSAY_INT64, secrets->groups, n, 0);
  add_known (truth, "labels", ASSAY_INT64, secrets->labels, n, 0);
  add_known (truth, "label-sets", ASSAY_INT64, secrets->label_sets, n,
             secrets->label_words > 1 ? secrets->label_words : 0);
  add_known (truth, "attributes", ASSAY_INT64, secrets->attributes, n, secrets->n_attributes);
  add_known (truth, "partners", ASSAY_INT64, secrets->counterparts, n, 1);
  add_known (truth, "frames", ASSAY_FLOAT32, secrets->frames, n, 4);
  add_known (truth, "originals", ASSAY_FLOAT32, secrets->originals, n, secrets->n_original_cols);
  if (secrets->edges != NULL)
    assay_arrays_take (&truth->arrays, "edges", assay_array_copy (secrets->edges));
  if (secrets->first_cols > 0) {
    const gint64 modalities[]
        = { (gint64) secrets->first_cols, (gint64) (secrets->rows.cols - secrets->first_cols) };

    add_known (truth, "modalities", ASSAY_INT64, modalities, G_N_ELEMENTS (modalities), 0);
  }
  return truth;
}

/* A defense that draws from rows of a role needs some of the right length. */
static gboolean
check_material (const char *what, const AssayRows *rows, gsize cols, GError **error)
{
  if (rows == NULL || assay_rows_count (rows) == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected a %s of %zu columns, found %s", what,
                       cols, rows == NULL ? "none" : "one without rows");
  return assay_rows_cols (rows) == cols
         || assay_fail (error, ASSAY_ERROR_MISMATCH, "expected a %s of %zu columns, found %zu",
                        what, cols, assay_rows_cols (rows));
}

static gsize
count_rows (const AssayRows *rows)
{
  return rows != NULL ? assay_rows_count (rows) : 0;
}

static gboolean
check_protect (const AssayDefense *defense, const AssaySettings *settings,
               const AssaySecrets *secrets, const AssayKnowledge *knowledge, GError **error)
{
  const guint uses = defense->uses != NULL ? defense->uses (settings->values) : 0;
  const AssayShape shape = { .n_secrets = secrets->rows.rows,
                             .cols = secrets->rows.cols,
                             .n_public = count_rows (knowledge->public_rows),
                             .n_database = count_rows (knowledge->database),
                             .n_classes = secrets->n_classes,
                             .geometry = secrets->geometry };

  if ((uses & ASSAY_GRANT_DATABASE)
      && !check_material ("database", knowledge->database, shape.cols, error))
    return FALSE;
  if ((uses & ASSAY_GRANT_PUBLIC)
      && !check_material ("public set", knowledge->public_rows, shape.cols, error))
    return FALSE;
  /* Once more with the sizes that there are: those of a plan may be estimates. */
  return defense->check == NULL || defense->check (settings->values, &shape, error);
}

/* Scales the secrets of @truth to length 1, where the release says that this was done before they
 * were protected, and the defense left them as they were. */
static void
scale_truth (const AssayRelease *release, AssayTruth *truth)
{
  const AssayArray *array = assay_arrays_get (&truth->arrays, "secrets");
  g_autoptr (AssayMatrix) unit = NULL;
  gboolean is_scaled = TRUE;

  if (!release->is_unit_norm || array == NULL)
    return;
  unit = assay_matrix_copy (assay_array_view (array), NULL);
  for (gsize i = 0; unit != NULL && i < unit->rows; i++) {
    float *row = assay_matrix_row (unit, i);
    const double length = sqrt (assay_squared_norm (row, unit->cols));

    is_scaled = is_scaled && fabs (length - 1) < 1e-3;
    for (gsize j = 0; j < unit->cols && length > 0; j++)
      row[j] = (float) (row[j] / length);
  }
  if (unit != NULL && !is_scaled)
    assay_arrays_take_matrix (&truth->arrays, "secrets", &unit);
}

gboolean
assay_step_protect (const AssayDefense *defense, const AssayProtecting *protecting,
                    const AssaySecrets *secrets, AssayRelease **ret_release, AssayTruth **ret_truth,
                    GError **error)
{
  const AssaySettings *settings = protecting->settings;
  const AssayKnowledge *knowledge = protecting->knowledge;
  const guint uses = defense->uses != NULL ? defense->uses (settings->values) : 0;
  const AssayDefenseContext context
      = { .settings = settings->values,
          .stream = protecting->stream,
          .common_stream = protecting->common,
          .key_of = protecting->key_of,
          .database = uses & ASSAY_GRANT_DATABASE ? knowledge->database : NULL,
          .public_rows = uses & ASSAY_GRANT_PUBLIC ? knowledge->public_rows : NULL,
          .public_labels = uses & ASSAY_GRANT_PUBLIC ? knowledge->public_labels : NULL,
          .labels = secrets->labels,
          .label_sets = secrets->label_sets,
          .label_words = secrets->label_words,
          .n_classes = secrets->n_classes,
          .edges = secrets->edges,
          .first_cols = secrets->first_cols,
          .geometry = secrets->geometry,
          .mechanism = defense->mechanism,
          .position = secrets->position };
  g_autoptr (AssayRelease) release
      = assay_release_new (assay_defense_produces (defense, settings->values), defense->id);
  g_autoptr (AssayTruth) truth = NULL;
  g_auto (AssayLoop) making = { .what = "making a release" };

  assay_loop_at (&making, 0);
  if (!assay_view_check_finite (secrets->rows, "secrets", error))
    return FALSE;
  if (!check_protect (defense, settings, secrets, knowledge, error))
    return assay_prefix (error, "defense %s: ", defense->id);
  truth = assay_truth_of (secrets, error);
  if (truth == NULL)
    return FALSE;
  g_free (release->settings);
  release->settings = assay_json_settings_text (settings);
  if (!defense->protect (&context, secrets->rows, release, truth, error)
      || !assay_release_check (release, error) || !assay_truth_check (truth, error))
    return assay_prefix (error, "defense %s: ", defense->id);
  /* Of external releases, too: what is unit_norm is measured as it is attacked. */
  scale_truth (release, truth);
  /* What was made of images is made of pixels still, unless it has another number of them. */
  if (assay_release_cols (release) == secrets->rows.cols && secrets->geometry.height > 0)
    release->geometry = secrets->geometry;
  *ret_release = g_steal_pointer (&release);
  *ret_truth = g_steal_pointer (&truth);
  return TRUE;
}

/* Knowledge that an attack compares with the release has the release's columns. @hint: what else
 * it could be granted. */
static gboolean
check_columns (const char *what, const AssayRows *rows, const AssayRelease *release,
               const char *hint, GError **error)
{
  if (rows == NULL || assay_release_cols (release) == 0
      || assay_rows_cols (rows) == assay_release_cols (release))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s has %zu columns, but the release has %zu%s",
                     what, assay_rows_cols (rows), assay_release_cols (release), hint);
}

static gboolean
check_fit (const AssayAttack *attack, const AssaySettings *settings, const AssayGranted *granted,
           const AssayObservation *seen, GError **error)
{
  const AssayRelease *release = seen->release;
  const guint held = (seen->database != NULL ? ASSAY_GRANT_DATABASE : 0)
                     | (seen->public_rows != NULL ? ASSAY_GRANT_PUBLIC : 0)
                     | (seen->groups != NULL ? ASSAY_GRANT_GROUPS : 0)
                     | (seen->other_releases != NULL ? ASSAY_GRANT_OTHER_RELEASES : 0)
                     | (seen->repeats != NULL ? ASSAY_GRANT_REPEATS : 0)
                     | (seen->shadow != NULL || seen->pairs != NULL ? ASSAY_GRANT_MECHANISM : 0)
                     | (seen->features != NULL ? ASSAY_GRANT_FEATURES : 0)
                     | (seen->known_edges != NULL ? ASSAY_GRANT_KNOWN_EDGES : 0)
                     | (seen->keypoints != NULL ? ASSAY_GRANT_KEYPOINTS : 0)
                     | assay_release_holds (release);
  g_autofree char *lacking
      = assay_grants_describe (assay_attack_needs (attack, settings->values) & ~held);
  const char *hint;
  const guint readable = assay_attack_reads (attack, settings->values);
  g_autofree char *reads = assay_release_kinds_describe (readable);

  if (!(readable & release->kind))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' reads %s, but the release of '%s' holds %s", attack->id, reads,
                       release->defense, assay_release_kind_name (release->kind));
  if (*lacking != '\0')
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "attack '%s' needs '%s', which was not granted",
                       attack->id, lacking);
  /* Who has pairs compares with what the defense makes of rows; a program sees what it does. */
  if (attack->adapts || seen->pairs != NULL || attack->external != NULL)
    hint = NULL;
  else if (!assay_attack_wants_pairs (attack, settings->values) || seen->public_rows == NULL)
    hint = "";
  else if (granted->position.defense == NULL)
    hint = "; expected public rows of as many, or a scenario with grants = public; mechanism, "
           "where what the defense makes of public rows is compared";
  else
    hint = "; expected grants = public; mechanism, to compare with what the defense makes of "
           "public rows";
  return check_columns ("the database", seen->database, release, "", error)
         && (hint == NULL
             || check_columns ("the public set", seen->public_rows, release, hint, error))
         && (seen->pairs == NULL || assay_pairs_check (seen->pairs, release, error));
}

gboolean
assay_step_attack (const AssayAttack *attack, const AssaySettings *settings, AssayStreamKey stream,
                   const AssayGranted *granted, AssayGuess **ret_guess, GError **error)
{
  const AssayAttackContext context
      = { .settings = settings->values, .stream = stream, .position = granted->position };
  g_auto (AssaySight) sight = { 0 };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  if (!assay_sight_open (granted, &sight, error)
      || !check_fit (attack, settings, granted, &sight.seen, error)
      || !assay_attack_run (attack, &context, &sight.seen, guess, error))
    return FALSE;
  *ret_guess = g_steal_pointer (&guess);
  return TRUE;
}

gboolean
assay_step_control (const AssayAttack *attack, const AssayAttackContext *context,
                    AssayStreamKey key, const AssayGranted *granted,
                    AssayControlOutcome *ret_outcome, GError **error)
{
  g_auto (AssaySight) sight = { 0 };
  const AssaySettings settings = { .values = (gpointer) context->settings };

  return assay_sight_open (granted, &sight, error)
         && check_fit (attack, &settings, granted, &sight.seen, error)
         && assay_control_play_like (attack, context, key, &sight.seen, ret_outcome, error);
}

/* Whether estimate i is of secret i. */
static gboolean
is_in_order (const AssayTruth *truth, const AssayGuess *guess)
{
  const AssayArray *secrets = assay_arrays_get (&truth->arrays, "secrets");
  const AssayArray *estimates = assay_arrays_get (&guess->arrays, "estimates");

  return !guess->is_unordered
         && (estimates == NULL || secrets == NULL || estimates->shape[0] == secrets->shape[0]
             || assay_arrays_get (&truth->arrays, "sources") == NULL);
}

/* What is released in another space than the secrets', taken for them, is no estimate. */
static gboolean
is_in_another_space (const AssayRelease *release, const AssayTruth *truth, const AssayGuess *guess)
{
  const AssayArray *secrets = assay_arrays_get (&truth->arrays, "secrets");
  const AssayArray *estimates = assay_arrays_get (&guess->arrays, "estimates");

  return release != NULL && secrets != NULL && estimates != NULL
         && release->kind == ASSAY_RELEASE_VECTORS && estimates->shape[1] != secrets->shape[1]
         && estimates->shape[1] == assay_release_cols (release);
}

char *
assay_metric_lacks (const AssayRelease *release, const AssayTruth *truth, const AssayGuess *guess)
{
  if (!is_in_another_space (release, truth, guess))
    return NULL;
  return g_strdup_printf ("what was released has %zu columns and the secrets have %zu, so that it "
                          "cannot be taken for them: not measured",
                          assay_release_cols (release),
                          assay_arrays_get (&truth->arrays, "secrets")->shape[1]);
}

gboolean
assay_metric_applies (const AssayMetric *metric, const AssayDataset *dataset,
                      const AssayRelease *release, const AssayTruth *truth, const AssayGuess *guess)
{
  /* Of folders, the truth tells what images the secrets are. */
  const guint held = (dataset != NULL ? assay_dataset_holdings (dataset) : 0)
                     | (truth->geometry.height > 0 ? ASSAY_HAS_IMAGES : 0);

  if (metric->measure == NULL)
    return FALSE;
  if (metric->reads != 0 && (release == NULL || (metric->reads & release->kind) == 0))
    return FALSE;
  if (metric->needs & ~held)
    return FALSE;
  for (const char *const *name = metric->reads_truth; name != NULL && *name != NULL; name++)
    if (assay_arrays_get (&truth->arrays, *name) == NULL)
      return FALSE;
  for (const char *const *name = metric->reads_guess; name != NULL && *name != NULL; name++)
    if (assay_arrays_get (&guess->arrays, *name) == NULL
        || (g_str_equal (*name, "estimates") && is_in_another_space (release, truth, guess)))
      return FALSE;
  return metric->finds_order || is_in_order (truth, guess);
}

/* Takes the outcomes over if they are finite. */
static gboolean
take_outcomes (const AssayMeasuring *measuring, gboolean is_ok, AssayOutcomes *outcomes,
               AssayOutcomes *ret_outcomes, GError **error)
{
  for (guint s = 0; is_ok && s < measuring->n_series; s++)
    for (gsize i = 0; is_ok && outcomes->omitted[s] == NULL && i < outcomes->n; i++)
      if (!isfinite (outcomes->series[s][i]))
        is_ok = assay_fail (error, ASSAY_ERROR_NUMERIC, "the outcome of %s %zu is not finite",
                            measuring->has_own_units ? "unit" : "secret", i);
  if (!is_ok) {
    assay_outcomes_clear (outcomes);
    g_prefix_error (error,
                    "%s %s: ", measuring->type == ASSAY_PLUGIN_UTILITY ? "utility" : "metric",
                    measuring->id);
    return FALSE;
  }
  *ret_outcomes = *outcomes;
  return TRUE;
}

gboolean
assay_step_measure (const AssayMetric *metric, const AssayMetricContext *context,
                    const AssayTruth *truth, const AssayGuess *guess, AssayOutcomes *ret_outcomes,
                    GError **error)
{
  AssayOutcomes outcomes = { 0 };
  g_auto (AssayLoop) measuring = { .what = "measuring" };
  gboolean is_ok;

  assay_loop_at (&measuring, 0);
  is_ok = metric->measure (context, truth, guess, &outcomes, error);
  return take_outcomes (&metric->measuring, is_ok, &outcomes, ret_outcomes, error);
}

gboolean
assay_step_assess (const AssayUtility *utility, const AssayUtilityContext *context,
                   const AssayReceived *received, AssayOutcomes *ret_outcomes, GError **error)
{
  AssayOutcomes outcomes = { 0 };
  const gboolean is_ok = utility->assess (context, received, &outcomes, error);

  return take_outcomes (&utility->measuring, is_ok, &outcomes, ret_outcomes, error);
}

const gint64 *
assay_truth_groups (const AssayTruth *truth)
{
  const AssayArray *groups = assay_arrays_get (&truth->arrays, "groups");

  return groups != NULL ? assay_array_int64 (groups) : NULL;
}

const gint64 *
assay_truth_released_groups (const AssayTruth *truth)
{
  const AssayArray *owners = assay_arrays_get (&truth->arrays, "owners");

  return owners != NULL ? assay_array_int64 (owners) : assay_truth_groups (truth);
}
