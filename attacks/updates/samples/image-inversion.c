/* Pictures out of sparse updates: a user's message, read as update-leak reads it
 * (attacks/updates/samples/update-sample.h), tells those pixels of its sample in which weights are
 * not 0, exactly, and of the others an interval. Pixels depend on each other, and how they do is
 * learned of public pictures (column-completion.h): what was told of any of them is paired with the
 * whole picture. With pixels as features the public rows are those pairs. Of other features the
 * dataset has to have the pictures that public rows are features of: rows are features and picture
 * side by side then, and the picture is what no update tells a pixel of.
 *
 * Silent, with no estimate, where a message is not of one sample, by what the release says (a pass,
 * or a batch of several) or because rows of its gradient are not multiples of one direction; where
 * it tells nothing as all margins were met; and where it tells no pixel. Estimates are sure of the
 * pixels that were told, and of no other.
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", section A.2.3, which inverts features of a network by a network
 * (Dosovitskiy and Brox 2016); linear regression, and the nearest public picture, are ours. */
#include <string.h>

#include "attacks/updates/samples/column-completion.h"
#include "attacks/updates/samples/update-control.h"
#include "attacks/updates/samples/update-guess.h"
#include "core/base/parallel.h"
#include "core/plugin/plugin.h"

/* Of one sample all rows are multiples of it, up to rounding, and up to several local steps on it
 * under a penalty; of two samples a tenth of the length and more is left. */
#define MOST_MISFIT 0.01

enum { RIDGE, NEAREST };

static const char *const methods[] = { "ridge", "nearest", NULL };

typedef struct {
  guint method;
  double penalty;
  gint64 rows;
} ImageInversion;

typedef enum { FOUND, MET_MARGINS, OF_MANY, HIDDEN, N_ENDS } End;

typedef struct {
  const AssayRelease *release;
  AssayLinearTraining training;
  AssayView models, locals;
  gsize users;
  gboolean is_blend; /* by its parameters */
  ColumnCompletion completion;
  /* Of each message: */
  End *ends;
  UpdateSample *samples;
} Inversion;

static void
inversion_clear (Inversion *inversion)
{
  for (gsize l = 0; inversion->samples != NULL && l < inversion->locals.rows; l++)
    update_sample_clear (&inversion->samples[l]);
  g_free (inversion->samples);
  g_free (inversion->ends);
  column_completion_clear (&inversion->completion);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Inversion, inversion_clear)

/* ---- The attack ---- */

static gsize
n_pixels (const AssayObservation *seen)
{
  return seen->public_originals != NULL ? assay_rows_cols (seen->public_originals) : 0;
}

/* Public rows as users scale theirs, and the pictures that they are features of beside them. */
static AssayMatrix *
read_public (const AssayObservation *seen, gsize most, gsize cols, GError **error)
{
  const gsize pixels = n_pixels (seen);
  const AssayArray *mean = assay_arrays_get (&seen->release->arrays, "mean");
  const AssayArray *deviation = assay_arrays_get (&seen->release->arrays, "deviation");
  const gsize n = MIN (most, assay_rows_count (seen->public_rows));
  AssayMatrix *rows;

  if (assay_rows_cols (seen->public_rows) != cols)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "public rows have %zu columns; expected %zu, as samples have",
                            assay_rows_cols (seen->public_rows), cols);
  if (n == 0)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "there are no public rows to learn hidden columns from; expected 1 or "
                            "more");
  rows = assay_matrix_new (n, cols + pixels, error);
  if (rows == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    assay_rows_read (seen->public_rows, i, 1, ASSAY_SCALE_NONE, assay_matrix_row (rows, i));
    if (pixels > 0)
      assay_rows_read (seen->public_originals, i, 1, ASSAY_SCALE_NONE,
                       assay_matrix_row (rows, i) + cols);
  }
  for (gsize i = 0; mean != NULL && deviation != NULL && i < n; i++)
    for (gsize j = 0; j < cols; j++) {
      float *x = assay_matrix_row (rows, i) + j;

      *x = (*x - assay_array_view (mean).data[j]) / assay_array_view (deviation).data[j];
    }
  return rows;
}

/* Whether the release itself says that a message is of several samples. */
static gboolean
says_blend (const AssayRelease *release)
{
  const guint *trainer = ASSAY_PARAMETER (release, AssayUpdatesParameters, trainer);
  const gint64 *batch = ASSAY_PARAMETER (release, AssayUpdatesParameters, batch);

  return (trainer != NULL && *trainer != ASSAY_TRAINER_STEP) || (batch != NULL && *batch > 1);
}

static gboolean
begin (const ImageInversion *settings, const AssayObservation *seen, Inversion *inversion,
       GError **error)
{
  const AssayRelease *release = seen->release;
  g_autoptr (AssayMatrix) rows = NULL;

  if (!update_messages_of (release, &inversion->locals, error)
      || !update_training_of (release, &inversion->training, error))
    return FALSE;
  inversion->models = assay_array_view (assay_arrays_get (&release->arrays, "models"));
  inversion->users = inversion->locals.rows / assay_updates_steps (release);
  inversion->is_blend = says_blend (release);
  inversion->ends = g_new0 (End, inversion->locals.rows);
  inversion->samples
      = assay_alloc (inversion->locals.rows, sizeof (UpdateSample), "samples", error);
  if (inversion->samples == NULL)
    return FALSE;
  rows = read_public (seen, (gsize) settings->rows, inversion->training.cols, error);
  return rows != NULL
         && column_completion_init (
             &(ColumnCompletionSettings){ settings->method == NEAREST, settings->penalty },
             assay_matrix_view (rows), &inversion->completion, error);
}

/* Columns that follow those of the sample, of which nothing is known. */
static gboolean
widen (gsize cols, UpdateSample *inout_sample, GError **error)
{
  const gsize n = inout_sample->cols;
  g_auto (UpdateSample) wide = { 0 };

  if (cols == n)
    return TRUE;
  if (!update_sample_init (cols, &wide, error))
    return FALSE;
  memcpy (wide.values, inout_sample->values, n * sizeof *wide.values);
  memcpy (wide.low, inout_sample->low, n * sizeof *wide.low);
  memcpy (wide.high, inout_sample->high, n * sizeof *wide.high);
  memcpy (wide.is_exact, inout_sample->is_exact, n);
  for (gsize j = n; j < cols; j++) {
    wide.low[j] = -G_MAXDOUBLE;
    wide.high[j] = G_MAXDOUBLE;
    wide.is_exact[j] = FALSE;
  }
  wide.label = inout_sample->label;
  update_sample_clear (inout_sample);
  *inout_sample = wide;
  wide = (UpdateSample){ 0 };
  return TRUE;
}

static gboolean
has_column (const UpdateSample *sample)
{
  return memchr (sample->is_exact, 1, sample->cols) != NULL;
}

static gboolean
invert_message (gsize l, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  Inversion *inversion = data;
  const AssayLinearTraining *training = &inversion->training;
  const float *model = assay_view_row (inversion->models, l / inversion->users);
  const gsize weights = inversion->models.cols;
  UpdateSample *sample = &inversion->samples[l];
  g_auto (UpdateGradient) gradient = { 0 };
  g_autofree double *after = assay_alloc (weights, sizeof *after, "an update", error);

  if (after == NULL || !update_gradient_init (training, &gradient, error)
      || !update_sample_init (training->cols, sample, error))
    return FALSE;
  for (gsize i = 0; i < weights; i++)
    after[i] = (double) assay_view_row (inversion->locals, l)[i];
  update_gradient_read (training, model, after, 1, &gradient);
  if (!update_sample_solve (training, model, &gradient, sample))
    inversion->ends[l] = MET_MARGINS;
  else if (inversion->is_blend || update_sample_misfit (&gradient, sample) > MOST_MISFIT)
    inversion->ends[l] = OF_MANY;
  else if (!has_column (sample))
    inversion->ends[l] = HIDDEN;
  else
    return (widen (inversion->completion.cols, sample, error)
            && column_completion_fill (&inversion->completion, sample, error))
           || assay_prefix (error, "message %zu: ", l);
  return TRUE;
}

/* What follows the features of each sample that was found. */
static void
take_pictures (const Inversion *inversion, gsize n, AssayGuess *guess)
{
  const gsize cols = inversion->training.cols, pixels = inversion->completion.cols - cols;
  float *pictures;
  gsize row = 0;

  if (pixels == 0 || n == 0)
    return;
  pictures = g_new (float, n * pixels);
  for (gsize l = 0; l < inversion->locals.rows; l++)
    if (inversion->ends[l] == FOUND) {
      for (gsize j = 0; j < pixels; j++)
        pictures[row * pixels + j] = (float) inversion->samples[l].values[cols + j];
      row++;
    }
  assay_arrays_take_rows (&guess->arrays, "pictures", ASSAY_FLOAT32, n, pixels, pictures);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  g_auto (Inversion) inversion = { .release = seen->release };
  g_auto (UpdateGuess) found = { 0 };
  gsize ends[N_ENDS] = { 0 };

  if (!begin (context->settings, seen, &inversion, error)
      || !assay_parallel_try (inversion.locals.rows, invert_message, &inversion, error))
    return FALSE;
  update_guess_init (&found, inversion.training.cols);
  for (gsize l = 0; l < inversion.locals.rows; l++) {
    const UpdateSample *sample = &inversion.samples[l];

    ends[inversion.ends[l]]++;
    if (inversion.ends[l] == FOUND)
      update_guess_add (&found, &(UpdateFound){ .values = sample->values,
                                                .is_known = sample->is_exact,
                                                .step = l / inversion.users,
                                                .user = (gint64) (l % inversion.users),
                                                .label = sample->label });
  }
  update_guess_take (&found, seen->release, ret_guess);
  take_pictures (&inversion, ends[FOUND], ret_guess);
  ret_guess->says = g_strdup_printf ("of %zu messages %zu tell a sample; %zu are of several, of "
                                     "%zu all margins were met, and %zu tell no column",
                                     inversion.locals.rows, ends[FOUND], ends[OF_MANY],
                                     ends[MET_MARGINS], ends[HIDDEN]);
  return TRUE;
}

/* ---- The control ---- */

/* Samples of two dimensions in 24 columns, of which sparse updates hide half. */
ASSAY_CONTROL (make_control, update_control_make, UpdateControl, void,
               .training = { .classes = 4, .cols = 24, .loss = ASSAY_LOSS_HINGE, .rate = 1e-2,
                             .penalty = 6, .mix = 0.5 },
               .users = 24, .steps = 1, .has_locals = TRUE, .rank = 2, .n_public = 1000)

/* Rows and covariance; for each message gradients, a sample and, by ridge, a matrix to solve. */
static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const ImageInversion *settings = data;
  const guint64 d = shape->cols, rows = (guint64) settings->rows;
  const guint64 squares = settings->method == RIDGE ? 1 + assay_parallel_threads () : 0;

  return rows * d * (sizeof (double) + sizeof (float)) + squares * d * d * sizeof (double)
         + (guint64) shape->n_outputs * 4 * sizeof (double)
         + (guint64) shape->n_members * d * (3 * sizeof (double) + 2 * sizeof (float));
}

ASSAY_ATTACK (image_inversion, "image-inversion",
  .summary = "Reconstruct pictures from a sparse update: known pixels, and the others by public "
             "pictures",
  .reference = { ASSAY_PAPER_DPHE, "section A.2.3" },
  ASSAY_SETTINGS (ImageInversion,
    ASSAY_PARAM_CHOICE (ImageInversion, method, RIDGE, methods,
                        "What fills in unknown pixels: regression on the known ones, learned from "
                        "public pictures; or the nearest public picture"),
    ASSAY_PARAM_REAL (ImageInversion, penalty, 0.1, 0, 1e6, "mean variances of a pixel",
                      "Penalty of the regression; 0 needs more rows than pixels"),
    ASSAY_PARAM_INT (ImageInversion, rows, 4000, 1, 10000000, "",
                     "The most public pictures that it looks at, the first ones")),
  .memory = memory,
  .reads = ASSAY_RELEASE_UPDATES,
  .reads_gradients = TRUE,
  .needs = ASSAY_GRANT_MESSAGES | ASSAY_GRANT_PUBLIC,
  .reads_arrays = ASSAY_ARRAY_NAMES ("locals"),
  .writes = update_guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "samples whose columns depend on each other are recovered from sparse "
                       "updates",
               .make = make_control,
               .at_least = 0.7,
               .within = 0.3 });
