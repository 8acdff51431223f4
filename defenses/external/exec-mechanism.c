/* What a program claims, played through folders. */
#include "defenses/external/exec-mechanism.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/npy.h"
#include "core/external/program.h"
#include "core/games/distinguish.h"
#include "core/plugin/callbacks.h"
#include "defenses/external/exec-canaries.h"
#include "defenses/external/exec-domain.h"

/* ---- Settings ---- */

gboolean
exec_mechanism_check (const ExecMechanism *settings, GError **error)
{
  const gboolean has_file = *settings->neighbours != '\0';

  if (settings->delta >= 1)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "delta = %g; expected less than 1",
                       settings->delta);
  if (settings->epsilon == 0 && (has_file || settings->delta > 0))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s without a claim; expected epsilon > 0, the budget that is claimed",
                       has_file ? "neighbours" : "delta");
  if (settings->epsilon > 0 && !has_file && !exec_domain_is_declared (settings)
      && !exec_canaries_are_declared (settings))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "epsilon = %g is claimed for inputs that are neighbours, and there are "
                       "none; expected neighbours = a .npy file of pairs, or adjacency, of which "
                       "pairs are made; for one-run lower and upper, or canaries",
                       settings->epsilon);
  if (!exec_domain_check (settings, error))
    return FALSE;
  if (settings->batch % ASSAY_PANEL_RUNS != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "batch = %" G_GINT64_FORMAT "; expected a multiple of %d", settings->batch,
                       ASSAY_PANEL_RUNS);
  return TRUE;
}

GPtrArray *
exec_mechanism_files (const ExecMechanism *settings)
{
  GPtrArray *files = assay_exec_files (&settings->exec);

  if (*settings->neighbours != '\0')
    g_ptr_array_add (files, assay_program_path (settings->neighbours, settings->exec.folder));
  exec_canaries_add_files (settings, files);
  return files;
}

guint64
exec_mechanism_memory (const ExecMechanism *settings)
{
  /* As doubles for the game, and as the program wrote it: mapped, and copied. */
  return settings->epsilon > 0
             ? (guint64) settings->batch * (guint64) settings->outputs * 3 * sizeof (double)
             : 0;
}

ASSAY_OF_SETTINGS (gboolean, is_claimed, ExecMechanism, settings->epsilon > 0)

static const char *
relation (gconstpointer data)
{
  const ExecMechanism *settings = data;

  return *settings->relation != '\0' ? settings->relation : "as the file of neighbours has them";
}

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const ExecMechanism *settings = data;

  return (AssayBudget){ .epsilon = settings->epsilon, .delta = settings->delta };
}

ASSAY_OF_SETTINGS (gsize, batch_runs, ExecMechanism, (gsize) settings->batch)

/* ---- Numbers ---- */

static double
number_at (const AssayArray *array, gsize i)
{
  gconstpointer data = array->data;

  switch (array->type) {
  case ASSAY_FLOAT32:
    return (double) ((const float *) data)[i];
  case ASSAY_FLOAT64:
    return ((const double *) data)[i];
  case ASSAY_UINT8:
    return ((const guint8 *) data)[i];
  case ASSAY_INT32:
    return ((const gint32 *) data)[i];
  case ASSAY_INT64:
    return (double) ((const gint64 *) data)[i];
  }
  g_return_val_if_reached (NAN);
}

/* Whole numbers must be exact, or two of them could become one. */
static gboolean
check_whole (const AssayArray *array, gsize i, guint bits, const char *type, GError **error)
{
  const gboolean is_whole = array->type != ASSAY_FLOAT32 && array->type != ASSAY_FLOAT64;
  const gsize cols = assay_array_count (array) / array->shape[0];

  return !is_whole || fabs (number_at (array, i)) < ldexp (1, (int) bits)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "row %zu, number %zu is %.17g; expected whole numbers below 2^%u in size, "
                        "which %s holds",
                        i / cols, i % cols, number_at (array, i), bits, type);
}

/* As float32, to which floating-point numbers are rounded. */
static gboolean
take_number (const AssayArray *array, gsize i, float *ret_value, GError **error)
{
  const double number = number_at (array, i);
  const float value = (float) number;
  const gsize cols = assay_array_count (array) / array->shape[0];

  if (!check_whole (array, i, 24, "float32", error))
    return FALSE;
  if (isinf (value) && isfinite (number))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "row %zu, number %zu (%g) is beyond the range of float32", i / cols,
                       i % cols, number);
  *ret_value = value;
  return TRUE;
}

/* ---- Neighbours ---- */

/* Without a file there are no pairs, and inputs as the settings declare them. */
typedef struct {
  AssayArray *array;
  gsize pairs, rows, cols;
} Neighbours;

static gboolean
map_neighbours (const ExecMechanism *settings, Neighbours *ret_neighbours, GError **error)
{
  g_autofree char *path = assay_program_path (settings->neighbours, settings->exec.folder);
  g_autoptr (AssayArray) array = assay_npy_map (path, error);
  g_autofree char *found = array != NULL ? assay_array_describe (array) : NULL;
  gboolean has_rows;
  const gsize *shape;

  if (array == NULL) {
    g_prefix_error (error, "neighbours: ");
    return FALSE;
  }
  shape = array->shape;
  has_rows = array->n_dimensions == 3;
  if (array->n_dimensions < 2 || shape[0] < 2 || shape[0] % 2 != 0 || shape[0] / 2 > G_MAXINT
      || assay_array_count (array) == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "neighbours: %s: found %s; expected 2p x columns or 2p x rows x columns, p "
                       "pairs of inputs one after the other",
                       settings->neighbours, found);
  *ret_neighbours = (Neighbours){ .pairs = shape[0] / 2,
                                  .rows = has_rows ? shape[1] : 1,
                                  .cols = has_rows ? shape[2] : shape[1],
                                  .array = g_steal_pointer (&array) };
  return TRUE;
}

static gboolean
open_neighbours (const ExecMechanism *settings, Neighbours *ret_neighbours, GError **error)
{
  if (*settings->neighbours != '\0')
    return map_neighbours (settings, ret_neighbours, error);
  *ret_neighbours = (Neighbours){ 0 };
  exec_domain_shape (settings, &ret_neighbours->rows, &ret_neighbours->cols);
  return TRUE;
}

static gboolean
is_absent (const float *row, gsize cols)
{
  for (gsize j = 0; j < cols; j++)
    if (!isnan (row[j]))
      return FALSE;
  return TRUE;
}

/* Input number @index of the file: its rows are there or not, and at least one of them is. */
static gboolean
load_input (const Neighbours *all, gsize index, float *ret_input, GError **error)
{
  const gsize size = all->rows * all->cols;
  gsize n_present = 0;

  for (gsize i = 0; i < size; i++)
    if (!take_number (all->array, index * size + i, &ret_input[i], error))
      return FALSE;
  for (gsize r = 0; r < all->rows; r++) {
    const float *row = ret_input + r * all->cols;

    if (is_absent (row, all->cols))
      continue;
    n_present++;
    for (gsize j = 0; j < all->cols; j++)
      if (!isfinite (row[j]))
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "input %zu, row %zu, column %zu is not a finite number; expected "
                           "numbers, or a row of NaN alone for one that is not there",
                           index, r, j);
  }
  return n_present > 0
         || assay_fail (error, ASSAY_ERROR_DATA, "input %zu has no row; expected one at least",
                        index);
}

static gboolean
load_both (const ExecMechanism *settings, const Neighbours *all, guint index, float *ret_first,
           float *ret_second, GError **error)
{
  if (load_input (all, 2 * (gsize) index, ret_first, error)
      && load_input (all, 2 * (gsize) index + 1, ret_second, error))
    return TRUE;
  g_prefix_error (error, "neighbours: %s: ", settings->neighbours);
  return FALSE;
}

static gboolean
check_pairs (gconstpointer data, GError **error)
{
  const ExecMechanism *settings = data;
  Neighbours all = { 0 };
  g_autoptr (AssayArray) array = NULL;
  g_autoptr (AssayDomain) domain = NULL;
  g_autofree float *inputs = NULL;
  double share = 0;
  gsize size;

  if (!open_neighbours (settings, &all, error))
    return FALSE;
  array = all.array;
  size = all.rows * all.cols;
  if (!exec_canaries_check (settings, error))
    return FALSE;
  domain = exec_domain_new (settings, all.rows, all.cols, error);
  if (domain == NULL || all.pairs == 0)
    return domain != NULL;
  inputs = assay_alloc (size, 2 * sizeof (float), "neighbours", error);
  for (gsize i = 0; inputs != NULL && i < all.pairs; i++) {
    if (!load_both (settings, &all, (guint) i, inputs, inputs + size, error))
      return FALSE;
    if (!exec_domain_check_pair (domain, i, inputs, &share, error)) {
      g_prefix_error (error, "neighbours: %s: ", settings->neighbours);
      return FALSE;
    }
  }
  return inputs != NULL && exec_domain_check_share (settings, domain, share, error);
}

static AssayDomain *
domain_of (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const ExecMechanism *settings = data;
  Neighbours all = { 0 };
  g_autoptr (AssayArray) array = NULL;

  if (!exec_domain_is_declared (settings) || !open_neighbours (settings, &all, NULL))
    return NULL;
  array = all.array;
  return exec_domain_new (settings, all.rows, all.cols, NULL);
}

static guint
count_pairs (gconstpointer data)
{
  Neighbours all = { 0 };
  g_autoptr (AssayArray) array = NULL;

  open_neighbours (data, &all, NULL);
  array = all.array;
  return (guint) all.pairs;
}

static void
size_of (gconstpointer data, G_GNUC_UNUSED gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const ExecMechanism *settings = data;
  Neighbours all = { 0 };
  g_autoptr (AssayArray) array = NULL;

  open_neighbours (settings, &all, NULL);
  array = all.array;
  *ret_inputs = all.rows * all.cols;
  *ret_outputs = (gsize) settings->outputs;
}

/* The file as it is now, if its inputs are as large as they were. */
static gboolean
reopen_neighbours (const ExecMechanism *settings, gsize n_inputs, Neighbours *ret_neighbours,
                   GError **error)
{
  Neighbours all = { 0 };

  if (!open_neighbours (settings, &all, error))
    return FALSE;
  if (all.rows * all.cols != n_inputs) {
    assay_array_free (all.array);
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "neighbours: %s: inputs have %zu numbers now; expected %zu as they had "
                       "before",
                       settings->neighbours, all.rows * all.cols, n_inputs);
  }
  *ret_neighbours = all;
  return TRUE;
}

static gboolean
load_pair (gconstpointer data, guint index, gsize n_inputs, float *ret_first, float *ret_second,
           GError **error)
{
  const ExecMechanism *settings = data;
  Neighbours all = { 0 };
  g_autoptr (AssayArray) array = NULL;

  if (!reopen_neighbours (settings, n_inputs, &all, error))
    return FALSE;
  array = all.array;
  if (index >= all.pairs)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "neighbours: %s: has no pair %u; expected one of %zu", settings->neighbours,
                       index, all.pairs);
  return load_both (settings, &all, index, ret_first, ret_second, error);
}

/* ---- Runs ---- */

/* The rows of @input that are there. */
static AssayMatrix *
present_rows (const float *input, gsize rows, gsize cols, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (rows, cols, error);
  gsize n = 0;

  for (gsize r = 0; matrix != NULL && r < rows; r++)
    if (!is_absent (input + r * cols, cols))
      memcpy (matrix->data + n++ * cols, input + r * cols, cols * sizeof (float));
  if (matrix != NULL)
    matrix->rows = n;
  return matrix;
}

/* count x n_outputs, or of one number a run just count. */
static gboolean
take_outputs (const AssayArray *array, gsize count, gsize n_outputs, double *ret_outputs,
              GError **error)
{
  const gboolean is_matrix = array->n_dimensions == 2 && array->shape[1] == n_outputs;
  const gboolean is_list = array->n_dimensions == 1 && n_outputs == 1;
  g_autofree char *found = assay_array_describe (array);

  if (array->shape[0] != count || !(is_matrix || is_list))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "outputs.npy: found %s; expected %zu x %zu, one row for each of count runs "
                       "(setting 'outputs')",
                       found, count, n_outputs);
  /* NaN and infinities are outputs like others; so are -0 and the bits of doubles. */
  for (gsize i = 0; i < count * n_outputs; i++) {
    if (!check_whole (array, i, 53, "float64", error)) {
      g_prefix_error (error, "outputs.npy: ");
      return FALSE;
    }
    ret_outputs[i] = number_at (array, i);
    if (assay_output_is_failed (ret_outputs[i]))
      ret_outputs[i] = NAN; /* which is Assay's to say */
  }
  return TRUE;
}

static gboolean
play (const ExecMechanism *settings, AssayStream *stream, const AssayMatrix *input, gsize count,
      double *ret_outputs, GError **error)
{
  const AssayGeometry no_images = { 0 };
  AssayExecRequest request = { .role = "mechanism",
                               .n = input->rows,
                               .cols = input->cols,
                               .geometry = &no_images,
                               .count = count,
                               .n_outputs = (gsize) settings->outputs };
  g_autoptr (AssayExecFolder) folder = NULL;
  g_autoptr (AssayArray) outputs = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (request.stream.word); i++)
    request.stream.word[i] = assay_stream_u32 (stream);
  folder = assay_exec_folder_new (&request, &settings->exec, error);
  if (folder == NULL
      || !assay_exec_folder_add_view (folder, "input", assay_matrix_view (input), error))
    return FALSE;
  outputs = assay_exec_folder_run_mechanism (folder, error);
  return outputs != NULL && take_outputs (outputs, count, request.n_outputs, ret_outputs, error);
}

static gboolean
run_many (gconstpointer data, AssayStream *stream, AssayInput input, gsize count,
          double *ret_outputs, GError **error)
{
  const ExecMechanism *settings = data;
  Neighbours all = { 0 };
  g_autoptr (AssayArray) array = NULL;
  g_autoptr (AssayMatrix) rows = NULL;

  if (!reopen_neighbours (settings, input.count, &all, error))
    return FALSE;
  array = all.array;
  rows = present_rows (input.numbers, all.rows, all.cols, error);
  if (rows == NULL)
    return FALSE;
  if (play (settings, stream, rows, count, ret_outputs, error))
    return TRUE;
  g_prefix_error (error, "defense exec: ");
  return FALSE;
}

static const AssayBatches batches = {
  .count_pairs = count_pairs,
  .check_pairs = check_pairs,
  .load_pair = load_pair,
  .batch_runs = batch_runs,
  .run_many = run_many,
};

const AssayMechanism exec_mechanism = {
  .neighbours = "as the setting 'relation' says",
  .relation = relation,
  .is_claimed = is_claimed,
  .budget = budget,
  .has_own_inputs = TRUE,
  .size = size_of,
  .batches = &batches,
  .canaries = &exec_canaries,
  .domain = domain_of,
};
