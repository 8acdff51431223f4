/* Parts of a case that looks like a cell. */
#include "attacks/external/likeness-parts.h"

#include <math.h>
#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "core/math/hash-function.h"

#define LITTLE 0.1

/* The release without its arrays but those of no item: the same in all that stands in
 * release.json. */
AssayRelease *
likeness_release (const AssayRelease *release)
{
  return assay_release_granted (
      release, release->parameters.is_withheld ? G_MAXUINT : ~(guint) ASSAY_GRANT_NO_PARAMETERS);
}

AssayArray *
likeness_items (const AssayArray *array, const gsize *order, gsize count, GError **error)
{
  const gsize bytes = assay_array_count (array) / array->shape[0] * assay_type_size (array->type);
  gsize shape[ASSAY_MAX_DIMENSIONS];
  guint8 *data = assay_alloc (count, bytes, "control", error);

  if (data == NULL)
    return NULL;
  memcpy (shape, array->shape, sizeof shape);
  shape[0] = count;
  for (gsize i = 0; i < count; i++)
    memcpy (data + i * bytes, array->data + order[i] * bytes, bytes);
  return assay_array_take (array->type, array->n_dimensions, shape, data);
}

/* A release like @like whose items are those numbered @order of @from. */
AssayRelease *
likeness_of_items (const AssayRelease *like, const AssayRelease *from, const gsize *order,
                   gsize count, GError **error)
{
  g_autoptr (AssayRelease) release = likeness_release (like);

  for (const AssayArraySpec *spec = assay_kind (like->kind)->arrays; spec->name != NULL; spec++) {
    const AssayArray *array = assay_arrays_get (&from->arrays, spec->name);
    AssayArray *chosen;

    if (array == NULL || g_ascii_tolower (spec->dimensions[0]) != 'n'
        || assay_arrays_get (&like->arrays, spec->name) == NULL)
      continue;
    chosen = likeness_items (array, order, count, error);
    if (chosen == NULL)
      return NULL;
    assay_arrays_take (&release->arrays, spec->name, chosen);
  }
  return g_steal_pointer (&release);
}

/* ---- Rows ---- */

/* Root of the mean squared deviation from the columns' means; of rows that are all alike, of the
 * numbers from their own mean. */
static double
deviation (AssayView rows)
{
  const double n = (double) rows.rows, d = (double) rows.cols;
  double sum = 0, total = 0, squares = 0;

  for (gsize j = 0; j < rows.cols; j++) {
    double mean = 0;

    for (gsize i = 0; i < rows.rows; i++)
      mean += assay_view_row (rows, i)[j] / n;
    for (gsize i = 0; i < rows.rows; i++)
      sum += pow (assay_view_row (rows, i)[j] - mean, 2);
    total += mean / d;
    squares += mean * mean / d;
  }
  return sqrt (sum > 0 ? sum / n / d : fmax (squares - total * total, 0));
}

/* A little noise on each number. */
void
likeness_change (AssayMatrix *rows, AssayStream *stream)
{
  const double little = LITTLE * deviation (assay_matrix_view (rows));

  for (gsize i = 0; i < rows->rows * rows->cols; i++)
    rows->data[i] += (float) (little * assay_stream_normal (stream));
}

/* @rows with some of @secrets, a little changed, at random places; NULL with an error. */
AssayRows *
likeness_plant (const AssayRows *rows, AssayView secrets, AssayStream *stream, GError **error)
{
  const gsize n = assay_rows_count (rows), count = MIN (n, secrets.rows);
  AssayMatrix *all = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error);
  g_autoptr (AssayMatrix) changed = all != NULL ? assay_matrix_copy (secrets, error) : NULL;
  g_autofree gsize *places = NULL;

  if (changed == NULL) {
    assay_matrix_free (all);
    return NULL;
  }
  likeness_change (changed, stream);
  places = g_new (gsize, count);
  assay_stream_sample (stream, n, count, places);
  for (gsize i = 0; i < count; i++)
    memcpy (assay_matrix_row (all, places[i]), assay_matrix_row (changed, i),
            secrets.cols * sizeof (float));
  return assay_rows_take_matrix (all);
}

/* So many of @rows, each once as long as there are enough. */
gsize *
likeness_choose (gsize n, gsize count, AssayStream *stream)
{
  gsize *chosen = g_new (gsize, count);
  g_autofree gsize *order = g_new (gsize, n);

  assay_stream_permutation (stream, n, order);
  for (gsize i = 0; i < count; i++)
    chosen[i] = order[i % n];
  return chosen;
}

AssayMatrix *
likeness_gather (const AssayRows *rows, const gsize *chosen, gsize count, AssayScale scale,
                 GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (count, assay_rows_cols (rows), error);

  if (matrix != NULL)
    assay_rows_gather (rows, chosen, count, scale, matrix->data);
  return matrix;
}

const AssayRows *
likeness_known_rows (const AssayObservation *seen, gsize cols)
{
  if (seen->public_rows != NULL && assay_rows_cols (seen->public_rows) == cols)
    return seen->public_rows;
  return seen->database != NULL && assay_rows_cols (seen->database) == cols ? seen->database : NULL;
}

/* ---- What the truth of the case holds ---- */

gboolean
likeness_take_secrets (Likeness *making, AssayMatrix *secrets)
{
  making->ret_case->truth = assay_truth_new ();
  if (secrets != NULL)
    assay_arrays_take (&making->ret_case->truth->arrays, "secrets",
                       assay_array_take_matrix (secrets));
  return secrets != NULL;
}

AssayView
likeness_secrets (const Likeness *making)
{
  return assay_array_view (assay_arrays_get (&making->ret_case->truth->arrays, "secrets"));
}

void
likeness_take_numbers (Likeness *making, const char *name, gsize n, gint64 *numbers)
{
  if (making->ret_case->truth == NULL)
    making->ret_case->truth = assay_truth_new ();
  assay_arrays_take_rows (&making->ret_case->truth->arrays, name, ASSAY_INT64, n, 1, numbers);
}

/* Planes through @rows, of the release's dimension. */
AssayRelease *
likeness_planes (const AssayRelease *like, AssayView rows, AssayStream *stream, GError **error)
{
  g_autoptr (AssayRelease) planes = subspace_control_release (
      rows, NULL, 0, assay_release_subspaces (like).dimension, stream, error);
  AssayRelease *release = planes != NULL ? likeness_release (like) : NULL;

  if (release != NULL)
    assay_arrays_copy (&release->arrays, &planes->arrays);
  return release;
}

AssayRelease *
likeness_codes (const AssayRelease *like, AssayView rows, GError **error)
{
  g_autoptr (AssayHashFunction) function = assay_hash_function_from (like, error);
  AssayArray *codes = function != NULL ? assay_hash_function_codes (function, rows, error) : NULL;
  AssayRelease *release = codes != NULL ? likeness_release (like) : NULL;

  if (release != NULL)
    assay_arrays_take (&release->arrays, "codes", codes);
  return release;
}

/* The release with other images. */
gboolean
likeness_take_images (Likeness *making, AssayMatrix *images)
{
  making->ret_case->release = likeness_release (making->seen->release);
  assay_arrays_take (&making->ret_case->release->arrays, "images",
                     assay_array_take_matrix (images));
  return TRUE;
}

/* Rows of the program's own released as they are, in place of what the defense made of them. */
gboolean
likeness_pairs_as_they_are (Likeness *making, GError **error)
{
  const AssayPairs *pairs = making->seen->pairs;

  making->ret_case->pairs = assay_pairs_new (pairs->has_key);
  for (guint i = 0; i < pairs->releases->len; i++) {
    const AssayOwnRelease *own = assay_pairs_get (pairs, i);
    AssayTruth *truth = assay_truth_new ();
    AssayRelease *release = likeness_release (own->release);
    AssayMatrix *copy = assay_matrix_copy (assay_own_rows (own), error);

    assay_arrays_copy (&truth->arrays, &own->known);
    if (copy != NULL)
      assay_arrays_take (&release->arrays, "vectors", assay_array_take_matrix (copy));
    g_ptr_array_add (making->ret_case->pairs->releases,
                     assay_own_release_new (release, truth, NULL));
    if (copy == NULL)
      return FALSE;
  }
  return TRUE;
}
