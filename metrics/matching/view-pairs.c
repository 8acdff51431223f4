/* Groups of secrets, and the views of the same photographs. */
#include "metrics/matching/view-pairs.h"

#include "core/base/each.h"
#include "metrics/matching/homography.h"

ASSAY_LOCAL_FREE (ViewPair, view_pair_free, g_array_unref (self->items),
                  g_array_unref (self->references))

/* That @array is of @type and has @count rows of @numbers each. */
static gboolean
check_array (const AssayArray *array, const char *what, AssayType type, gsize count, gsize numbers,
             GError **error)
{
  g_autofree char *found = NULL;

  if (array != NULL && array->type == type && array->shape[0] == count
      && assay_array_count (array) == count * numbers)
    return TRUE;
  found = array == NULL ? g_strdup ("none") : assay_array_describe (array);
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: found %s, expected %s, %zu x %zu", what,
                     found, assay_type_name (type), count, numbers);
}

static gboolean
check_photos (const GPtrArray *photos, const char *what, gsize n_groups, GError **error)
{
  const gsize n = photos == NULL ? 0 : photos->len;

  if (n != n_groups)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the dataset has %zu %s, expected one for each of its %zu groups", n, what,
                       n_groups);
  return TRUE;
}

static gboolean
check_view (const AssayDataset *dataset, GError **error)
{
  const gsize n_test = assay_rows_count (dataset->test);

  return check_array (dataset->test_data.frames, "frames of the views' rows", ASSAY_FLOAT32, n_test,
                      4, error)
         && check_array (dataset->homographies, "homographies", ASSAY_FLOAT64, dataset->n_groups, 9,
                         error)
         && check_photos (dataset->test_data.photos, "views", dataset->n_groups, error);
}

static gboolean
check_map (const AssayDataset *dataset, GError **error)
{
  return check_array (dataset->test_data.points, "points of the map's rows", ASSAY_FLOAT32,
                      assay_rows_count (dataset->test), 3, error)
         && check_array (dataset->cameras, "cameras", ASSAY_FLOAT64, dataset->n_groups, 15, error);
}

static gboolean
check (const AssayDataset *dataset, const AssayReceived *received, gboolean is_map, GError **error)
{
  const AssayArrays *truth = &received->truth->arrays;
  const gsize n = assay_release_count (received->release);

  if (dataset == NULL || dataset->test == NULL
      || (is_map ? dataset->cameras : dataset->homographies) == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "there is no %s to match with; expected a "
                       "dataset with %s",
                       is_map ? "map" : "other view", is_map ? "one" : "views");
  return check_array (assay_arrays_get (truth, "groups"), "groups of the secrets", ASSAY_INT64, n,
                      1, error)
         && check_array (assay_arrays_get (truth, "frames"), "frames of the secrets", ASSAY_FLOAT32,
                         n, 4, error)
         && check_array (dataset->test_data.pictures,
                         is_map ? "places of the map's rows" : "pictures of the views' rows",
                         ASSAY_INT64, assay_rows_count (dataset->test), 1, error)
         && check_photos (dataset->secret_data.photos, "photographs", dataset->n_groups, error)
         && (is_map ? check_map (dataset, error) : check_view (dataset, error));
}

static gboolean
check_groups (const gint64 *groups, gsize n, gsize n_groups, const char *what, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (groups[i] < 0 || (guint64) groups[i] >= n_groups)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s %zu is of group %" G_GINT64_FORMAT ", expected 0 to %zu", what, i,
                         groups[i], n_groups - 1);
  return TRUE;
}

static ViewPair *
pair_new (const AssayDataset *dataset, gsize group, gboolean is_map)
{
  ViewPair *pair = g_new0 (ViewPair, 1);

  pair->group = group;
  pair->photo = g_ptr_array_index (dataset->secret_data.photos, group);
  if (!is_map) {
    pair->homography = (const double *) dataset->homographies->data + 9 * group;
    pair->view = g_ptr_array_index (dataset->test_data.photos, group);
  }
  pair->items = g_array_new (FALSE, FALSE, sizeof (gsize));
  pair->references = g_array_new (FALSE, FALSE, sizeof (gsize));
  return pair;
}

typedef enum { VIEWS, MAP_OF_PLACE, WHOLE_MAP } Views;

static GPtrArray *
pairs_new (const AssayDataset *dataset, const AssayReceived *received, Views views, GError **error)
{
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func ((GDestroyNotify) view_pair_free);
  g_autofree ViewPair **of_group = NULL;
  const gint64 *groups, *pictures;
  const gboolean is_map = views != VIEWS;
  gsize n, n_test;

  if (!check (dataset, received, is_map, error))
    return NULL;
  n = assay_release_count (received->release);
  n_test = assay_rows_count (dataset->test);
  groups = assay_array_int64 (assay_arrays_get (&received->truth->arrays, "groups"));
  pictures = assay_array_int64 (dataset->test_data.pictures);
  if (!check_groups (groups, n, dataset->n_groups, "secret", error)
      || !check_groups (pictures, n_test, dataset->n_groups,
                        is_map ? "row of the map" : "row of the views", error))
    return NULL;
  of_group = assay_alloc (dataset->n_groups, sizeof (ViewPair *), "groups", error);
  if (of_group == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    if (of_group[groups[i]] == NULL)
      of_group[groups[i]] = pair_new (dataset, (gsize) groups[i], is_map);
  for (gsize g = 0; g < dataset->n_groups; g++)
    if (of_group[g] != NULL)
      g_ptr_array_add (pairs, of_group[g]);
  for (gsize i = 0; i < n; i++)
    g_array_append_val (of_group[groups[i]]->items, i);
  ASSAY_FOR_EACH (const ViewPair, pair, pairs) {
    for (gsize i = 0; i < n_test; i++)
      if (views == WHOLE_MAP || pictures[i] == (gint64) pair->group)
        g_array_append_val (pair->references, i);
  }
  return g_steal_pointer (&pairs);
}

GPtrArray *
view_pairs_new (const AssayDataset *dataset, const AssayReceived *received, GError **error)
{
  return pairs_new (dataset, received, VIEWS, error);
}

GPtrArray *
map_pairs_new (const AssayDataset *dataset, const AssayReceived *received, gboolean is_whole,
               GError **error)
{
  return pairs_new (dataset, received, is_whole ? WHOLE_MAP : MAP_OF_PLACE, error);
}

/* The third coordinate of H (x, y, 1)'. */
static double
depth_at (const double *h, double x, double y)
{
  return h[6] * x + h[7] * y + h[8];
}

gboolean
view_pair_project (const ViewPair *pair, double x, double y, double *ret_u, double *ret_v)
{
  const double centre = depth_at (pair->homography, ((double) pair->photo->width - 1) / 2,
                                  ((double) pair->photo->height - 1) / 2);

  return depth_at (pair->homography, x, y) * centre > 0
         && assay_homography_apply (pair->homography, x, y, ret_u, ret_v);
}

gboolean
view_pair_shows (const ViewPair *pair, double x, double y)
{
  double u, v;

  /* Pixels are squares around their centres, of which the first is 0, 0. */
  return view_pair_project (pair, x, y, &u, &v) && u >= -0.5 && v >= -0.5
         && u <= (double) pair->view->width - 0.5 && v <= (double) pair->view->height - 0.5;
}
