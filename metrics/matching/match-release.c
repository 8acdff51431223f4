/* The two sides of matching, as flats. */
#include "metrics/matching/match-release.h"

/* Numbers of the stream: RANSAC draws from that of the group, a reference from those after this. */
#define FIRST_REFERENCE_ITEM (G_GUINT64_CONSTANT (1) << 32)

/* The members of the sets of @items, without repetition, and which of them each set has (items x
 * w): the one entry that many sets hold is then at exactly one distance. */
static AssayFlats *
entries_of_sets (const AssayRelease *release, const GArray *items, gsize **ret_members,
                 GError **error)
{
  const AssayArray *sets = assay_arrays_get (&release->arrays, "sets");
  const AssayArray *dictionary = assay_arrays_get (&release->arrays, "dictionary");
  const gsize w = sets->shape[1], n_entries = dictionary->shape[0];
  const AssaySubspaces points = { .count = n_entries,
                                  .cols = dictionary->shape[1],
                                  .translation = (const float *) dictionary->data };
  g_autofree gsize *place = assay_alloc (n_entries, sizeof (gsize), "dictionary entries", error);
  g_autofree gsize *members = assay_alloc (items->len * w, sizeof (gsize), "members", error);
  g_autoptr (GArray) used = g_array_new (FALSE, FALSE, sizeof (gsize));
  AssayFlats *flats;

  if (place == NULL || members == NULL)
    return NULL;
  for (gsize i = 0; i < items->len; i++)
    for (gsize j = 0; j < w; j++) {
      const gsize row = g_array_index (items, gsize, i) * w + j;
      const gsize entry = (gsize) assay_array_int64 (sets)[row];

      if (place[entry] == 0) {
        g_array_append_val (used, entry);
        place[entry] = used->len;
      }
      members[i * w + j] = place[entry] - 1;
    }
  flats = assay_flats_new (&points, (const gsize *) (gpointer) used->data, used->len, error);
  if (flats != NULL)
    *ret_members = g_steal_pointer (&members);
  return flats;
}

static AssayFlats *
flats_of_references (const ReleaseMatching *how, const AssayDataset *dataset,
                     const AssayRelease *release, const GArray *numbers, GError **error)
{
  const AssayRows *test = dataset->test;
  const gsize *rows = (const gsize *) (gpointer) numbers->data;
  const ReferenceLifting lifting = { .variant = how->lifting,
                                     .dimension = release->kind == ASSAY_RELEASE_SUBSPACES
                                                      ? assay_release_subspaces (release).dimension
                                                      : 0,
                                     .database = dataset->database,
                                     .scale = assay_release_scale (release),
                                     .stream = how->stream };
  g_autoptr (AssayMatrix) points = assay_matrix_new (numbers->len, assay_rows_cols (test), error);
  g_autofree guint64 *items = assay_alloc (numbers->len, sizeof (guint64), "references", error);

  if (points == NULL || items == NULL)
    return NULL;
  assay_rows_gather (test, rows, numbers->len, assay_release_scale (release), points->data);
  if (how->mode == MATCH_TO_SUBSPACE && lifting.dimension > 0) {
    for (gsize i = 0; i < numbers->len; i++)
      items[i] = FIRST_REFERENCE_ITEM + rows[i];
    return lifted_references_new (&lifting, assay_matrix_view (points), items, error);
  }
  return assay_flats_new (
      &(AssaySubspaces){ .count = points->rows, .cols = points->cols, .translation = points->data },
      NULL, points->rows, error);
}

GArray *
match_release (const ReleaseMatching *how, const AssayDataset *dataset, const AssayRelease *release,
               const ViewPair *pair, GError **error)
{
  const gboolean has_sets = release->kind == ASSAY_RELEASE_VECTOR_SETS;
  g_autofree gsize *members = NULL;
  g_autoptr (AssayFlats) released = NULL;
  g_autoptr (AssayFlats) references = NULL;
  g_autoptr (Neighbours) neighbours = NULL;
  MatchedItems items = { .n_items = pair->items->len, .width = 1 };

  if (has_sets) {
    released = entries_of_sets (release, pair->items, &members, error);
    items.width = assay_arrays_get (&release->arrays, "sets")->shape[1];
    items.members = members;
    items.is_joint = how->sets == MATCH_NEAREST_MEMBER;
  } else {
    const AssaySubspaces subspaces = assay_release_subspaces (release);

    released = assay_flats_new (&subspaces, (const gsize *) (gpointer) pair->items->data,
                                pair->items->len, error);
  }
  if (released == NULL)
    return NULL;
  references = flats_of_references (how, dataset, release, pair->references, error);
  if (references == NULL)
    return NULL;
  neighbours = neighbours_new (released, references, error);
  return neighbours == NULL ? NULL : matches_new (neighbours, &items, how->filter, how->ratio);
}

guint64
match_release_memory (gsize n, gsize r, gsize dimension, gsize lifted_dimension, gsize cols)
{
  const double panels = (double) n / 32 + 1; /* of neighbours_new */

  return (guint64) (assay_flats_memory (n, dimension, cols)
                    + 1.5 * assay_flats_memory (r, lifted_dimension, cols)
                    + panels * (double) r * (sizeof (double) + sizeof (gsize)));
}
