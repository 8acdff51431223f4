/* Canaries of a program that takes a whole dataset. */
#include "defenses/external/exec-canaries.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/npy.h"
#include "core/external/exec-folder.h"
#include "core/external/program.h"
#include "defenses/external/exec-domain.h"

const char *const exec_canary_scores[] = { "inner-product", "distance", "command", NULL };

enum { SCORE_INNER_PRODUCT, SCORE_DISTANCE, SCORE_COMMAND };

/* As many corners as anybody asks for. */
#define MOST_MADE 1000000

gboolean
exec_canaries_are_declared (const ExecMechanism *settings)
{
  return *settings->canaries != '\0' || exec_domain_has_bounds (settings);
}

void
exec_canaries_add_files (const ExecMechanism *settings, GPtrArray *files)
{
  AssayExec command = settings->exec;

  if (*settings->canaries != '\0')
    g_ptr_array_add (files, assay_program_path (settings->canaries, settings->exec.folder));
  command.command = settings->score_command;
  if (*settings->score_command != '\0') {
    g_autoptr (GPtrArray) own = assay_exec_files (&command);

    for (guint i = 0; i < own->len; i++)
      g_ptr_array_add (files, g_strdup (own->pdata[i]));
  }
}

/* ---- Records ---- */

static AssayArray *
map_file (const ExecMechanism *settings, GError **error)
{
  g_autofree char *path = assay_program_path (settings->canaries, settings->exec.folder);
  g_autoptr (AssayArray) array = assay_npy_map (path, error);
  g_autofree char *found = array != NULL ? assay_array_describe (array) : NULL;

  if (array == NULL) {
    g_prefix_error (error, "canaries: ");
    return NULL;
  }
  if (array->n_dimensions == 2 && array->type == ASSAY_FLOAT32 && assay_array_count (array) > 0)
    return g_steal_pointer (&array);
  assay_error_set (error, ASSAY_ERROR_DATA,
                   "canaries: %s: found %s; expected canaries x columns of float32",
                   settings->canaries, found);
  return NULL;
}

gboolean
exec_canaries_check (const ExecMechanism *settings, GError **error)
{
  g_autoptr (AssayArray) array = NULL;

  if ((settings->canary_score == SCORE_COMMAND) != (*settings->score_command != '\0'))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "canary_score = %s %s score_command; expected both or none",
                       exec_canary_scores[settings->canary_score],
                       *settings->score_command != '\0' ? "and a" : "and no");
  if (*settings->canaries == '\0')
    return TRUE;
  array = map_file (settings, error);
  if (array == NULL || !exec_domain_check_secrets (settings, assay_array_view (array), error)) {
    if (array != NULL)
      g_prefix_error (error, "canaries: %s: ", settings->canaries);
    return FALSE;
  }
  return TRUE;
}

static gsize
most (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const ExecMechanism *settings = data;
  g_autoptr (AssayArray) array = NULL;

  if (*settings->canaries == '\0')
    return exec_domain_has_bounds (settings) ? MOST_MADE : 0;
  array = map_file (settings, NULL);
  return array != NULL ? array->shape[0] : 0;
}

static gboolean
read_canaries (const ExecMechanism *settings, gsize cols, gsize count, float *ret_rows,
               GError **error)
{
  g_autoptr (AssayArray) array = map_file (settings, error);

  if (array == NULL)
    return FALSE;
  if (array->shape[0] < count || array->shape[1] != cols)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "canaries: %s: found %zu x %zu; expected %zu at least, of %zu columns as "
                       "the secrets have",
                       settings->canaries, array->shape[0], array->shape[1], count, cols);
  memcpy (ret_rows, array->data, count * cols * sizeof (float));
  return TRUE;
}

static gboolean
make (gconstpointer data, gsize cols, gsize count, AssayStream *stream, float *ret_rows,
      GError **error)
{
  const ExecMechanism *settings = data;
  g_autoptr (AssayDomain) domain = NULL;

  if (*settings->canaries != '\0')
    return read_canaries (settings, cols, count, ret_rows, error);
  domain = exec_domain_new (settings, MAX (settings->records, 1), cols, error);
  if (domain == NULL)
    return FALSE;
  for (gsize i = 0; i < count * cols; i++)
    ret_rows[i] = (float) (assay_stream_u32 (stream) & 1 ? domain->upper[i % cols]
                                                         : domain->lower[i % cols]);
  return TRUE;
}

/* ---- Scores ---- */

static void
mean_of (AssayView rows, double *ret_mean)
{
  for (gsize j = 0; j < rows.cols; j++)
    ret_mean[j] = 0;
  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < rows.cols; j++)
      ret_mean[j] += assay_view_row (rows, i)[j] / (double) rows.rows;
}

/* Of one row of the release. */
static double
score_row (const ExecMechanism *settings, const float *canary, const double *mean,
           const float *row, gsize cols)
{
  double sum = 0;

  for (gsize j = 0; j < cols; j++) {
    const double apart = (double) canary[j] - row[j];

    sum += settings->canary_score == SCORE_DISTANCE ? -apart * apart
                                                    : (canary[j] - mean[j]) * row[j];
  }
  return sum;
}

/* By a program of the user's. */
static gboolean
ask_command (const ExecMechanism *settings, AssayView canaries, AssayView release,
             double *ret_scores, GError **error)
{
  const AssayGeometry no_images = { 0 };
  const AssayExecRequest request = { .role = "score",
                                     .n = canaries.rows,
                                     .cols = canaries.cols,
                                     .geometry = &no_images,
                                     .count = canaries.rows,
                                     .n_outputs = 1 };
  AssayExec exec = settings->exec;
  g_autoptr (AssayExecFolder) folder = NULL;
  g_autoptr (AssayArray) outputs = NULL;

  exec.command = settings->score_command;
  folder = assay_exec_folder_new (&request, &exec, error);
  if (folder == NULL || !assay_exec_folder_add_view (folder, "canaries", canaries, error)
      || !assay_exec_folder_add_view (folder, "release", release, error))
    return FALSE;
  outputs = assay_exec_folder_run_mechanism (folder, error);
  if (outputs == NULL)
    return FALSE;
  if (assay_array_count (outputs) != canaries.rows
      || (outputs->type != ASSAY_FLOAT32 && outputs->type != ASSAY_FLOAT64))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "outputs.npy: expected %zu floating-point numbers, a score for each canary",
                       canaries.rows);
  for (gsize i = 0; i < canaries.rows; i++)
    ret_scores[i] = outputs->type == ASSAY_FLOAT32
                        ? (double) ((const float *) (gconstpointer) outputs->data)[i]
                        : ((const double *) (gconstpointer) outputs->data)[i];
  return TRUE;
}

static gboolean
score (gconstpointer data, AssayView canaries, const float *release, gsize n_release,
       double *ret_scores, GError **error)
{
  const ExecMechanism *settings = data;
  const gsize cols = canaries.cols, rows = n_release / cols;
  const AssayView numbers
      = { .data = release, .rows = 1, .cols = n_release, .stride = n_release };
  g_autofree double *mean = g_new (double, cols);

  if (settings->canary_score == SCORE_COMMAND)
    return ask_command (settings, canaries, numbers, ret_scores, error);
  if (rows == 0 || n_release % cols != 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the release has %zu numbers, and a canary %zu; expected rows of as many, "
                       "or canary_score = command",
                       n_release, cols);
  mean_of (canaries, mean);
  for (gsize i = 0; i < canaries.rows; i++) {
    ret_scores[i] = -INFINITY;
    for (gsize r = 0; r < rows; r++)
      ret_scores[i] = fmax (ret_scores[i], score_row (settings, assay_view_row (canaries, i), mean,
                                                      release + r * cols, cols));
  }
  return TRUE;
}

const AssayCanaries exec_canaries = { .most = most, .make = make, .score = score };
