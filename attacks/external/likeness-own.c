/* Cases of the games infer, member and cross that look like a cell. */
#include "attacks/external/likeness-cases.h"
#include "core/base/free.h"

/* ---- infer ---- */

/* Rows @order of what is known of rows: their classes, attributes, and the rows themselves. */
static gboolean
take_known (Likeness *making, const AssayArrays *known, const gsize *order, GError **error)
{
  AssayArrays *truth = &making->ret_case->truth->arrays;

  for (guint i = 0; i < known->names->len; i++) {
    const AssayArray *array = known->arrays->pdata[i];
    AssayArray *chosen;

    if (array->n_dimensions == 0 || array->shape[0] == 0)
      continue;
    chosen = likeness_items (array, order, making->n, error);
    if (chosen == NULL)
      return FALSE;
    assay_arrays_take (truth, known->names->pdata[i], chosen);
  }
  return TRUE;
}

gboolean
likeness_infer (Likeness *making, GError **error)
{
  const AssayPairs *pairs = making->seen->pairs;
  const AssayOwnRelease *own = pairs != NULL ? assay_pairs_get (pairs, 0) : NULL;
  g_autofree gsize *chosen = NULL;

  if (own == NULL)
    return TRUE;
  chosen = likeness_choose (assay_own_rows (own).rows, making->n, &making->stream);
  making->ret_case->release
      = likeness_of_items (making->seen->release, own->release, chosen, making->n, error);
  making->ret_case->truth = assay_truth_new ();
  return making->ret_case->release != NULL && take_known (making, &own->known, chosen, error);
}

/* ---- member ---- */

/* The release whose form others are given, and how many items it has. */
typedef struct {
  AssayRelease *like;
  gsize n;
} AsTheyAre;

ASSAY_LOCAL_FREE (AsTheyAre, free_as_they_are, assay_release_free (self->like))

/* Of @rows so many as there are items, in random order; where there are fewer, some stand twice. */
static AssayRelease *
release_as_they_are (const AssayRelease *like, AssayView rows, gsize n, AssayStream *stream,
                     GError **error)
{
  g_autofree gsize *order = likeness_choose (rows.rows, n, stream);
  g_autoptr (AssayRows) all = assay_rows_borrow (rows);
  AssayMatrix *vectors = likeness_gather (all, order, n, assay_release_scale (like), error);
  AssayRelease *release = vectors != NULL ? likeness_release (like) : NULL;

  if (release != NULL)
    assay_arrays_take (&release->arrays, "vectors", assay_array_take_matrix (vectors));
  return release;
}

static gboolean
run_as_they_are (gconstpointer data, guint64 number, const AssayOwnRows *own,
                 AssayShadowMade *ret_made, GError **error)
{
  const AsTheyAre *form = data;
  AssayStream stream = assay_stream (assay_stream_key (number, 0, "as-they-are", ""), 0);
  AssayMatrix *copy = assay_matrix_copy (own->rows, error);

  if (copy == NULL)
    return FALSE;
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets", assay_array_take_matrix (copy));
  ret_made->release = release_as_they_are (form->like, own->rows, form->n, &stream, error);
  if (ret_made->release != NULL)
    return TRUE;
  g_clear_pointer (&ret_made->truth, assay_truth_free);
  return FALSE;
}

static AssayShadow *
shadow_as_they_are (const Likeness *making)
{
  const AssayShadow *real = making->seen->shadow;
  AsTheyAre *form = g_new (AsTheyAre, 1);

  *form = (AsTheyAre){ likeness_release (making->seen->release), making->n };
  return assay_shadow_new (&(AssayShadowTerms){ .run = run_as_they_are,
                                                .data = form,
                                                .free_data = (GDestroyNotify) free_as_they_are,
                                                .runs = assay_shadow_runs (real),
                                                .choice = assay_shadow_choice (real),
                                                .n_secrets = assay_shadow_secrets (real),
                                                .has_key = assay_shadow_has_key (real) });
}

gboolean
likeness_member (Likeness *making, GError **error)
{
  const AssayObservation *seen = making->seen;
  const gsize n = seen->records != NULL ? assay_rows_count (seen->records) : 0, in = n / 2;
  g_autofree gsize *order = NULL;
  g_autoptr (AssayMatrix) members = NULL;
  gint64 *is_in;

  if (seen->release->kind != ASSAY_RELEASE_VECTORS || n < 2 || 2 * making->n < in
      || assay_rows_cols (seen->records) != assay_release_cols (seen->release))
    return TRUE;
  order = likeness_choose (n, n, &making->stream);
  members = likeness_gather (seen->records, order, in, ASSAY_SCALE_NONE, error);
  if (members == NULL)
    return FALSE;
  is_in = g_new0 (gint64, n);
  for (gsize i = 0; i < in; i++)
    is_in[order[i]] = 1;
  making->ret_case->truth = assay_truth_new ();
  assay_arrays_take (&making->ret_case->truth->arrays, "members",
                     assay_array_take (ASSAY_INT64, 1, &n, is_in));
  making->ret_case->release = release_as_they_are (seen->release, assay_matrix_view (members),
                                                   making->n, &making->stream, error);
  if (seen->shadow != NULL)
    making->ret_case->shadow = shadow_as_they_are (making);
  return making->ret_case->release != NULL;
}

/* ---- cross ---- */

gboolean
likeness_cross (Likeness *making, GError **error)
{
  const AssayRelease *real = making->seen->release, *other = making->seen->crossed;
  const gsize n = making->n, m = other != NULL ? assay_release_count (other) : 0;
  g_autofree gsize *order = NULL;
  g_autofree gsize *items = NULL;
  AssayControlCase *ret_case = making->ret_case;
  gint64 *mates;

  if (m == 0 || m > n)
    return TRUE;
  order = likeness_choose (n, n, &making->stream);
  items = likeness_choose (n, m, &making->stream);
  mates = g_new (gint64, m);
  for (gsize j = 0; j < m; j++) {
    mates[j] = (gint64) items[j];
    items[j] = order[items[j]];
  }
  ret_case->truth = assay_truth_new ();
  assay_arrays_take (&ret_case->truth->arrays, "mates",
                     assay_array_take (ASSAY_INT64, 1, &m, mates));
  if (making->seen->shadow != NULL)
    ret_case->shadow = assay_shadow_again (making->seen->shadow);
  ret_case->release = likeness_of_items (real, real, order, n, error);
  ret_case->crossed
      = ret_case->release != NULL ? likeness_of_items (other, real, items, m, error) : NULL;
  return ret_case->crossed != NULL;
}
