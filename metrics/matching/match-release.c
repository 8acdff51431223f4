/* The two sides of matching, as flats. */
#include "metrics/matching/match-release.h"

#include "metrics/matching/vocabulary.h"

/* Numbers of the stream: RANSAC draws from that of the group, a reference from those after this. */
#define FIRST_REFERENCE_ITEM (G_GUINT64_CONSTANT (1) << 32)

const char *const match_filters[] = { "none", "mutual-nearest", "ratio", "both", NULL };

gboolean
match_filter_check (MatchMode mode, MatchFilter filter, GError **error)
{
  if (mode == MATCH_BY_WORD && (filter == FILTER_RATIO || filter == FILTER_BOTH))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "mode = vocabulary, filter = %s: words are shared or not, and have no ratio "
                       "of distances; expected filter = none or mutual-nearest",
                       match_filters[filter]);
  return TRUE;
}

gboolean
match_release_check (const AssayRelease *release, gboolean wants_words, GError **error)
{
  if ((release->kind & MATCHED_KINDS) == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "a release of %s cannot be matched; expected vectors, subspaces or "
                       "vector-sets",
                       assay_release_kind_name (release->kind));
  if (wants_words && release->kind != ASSAY_RELEASE_VECTOR_SETS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "mode = vocabulary: a release of %s has no words; expected vector-sets, or "
                       "mode = point",
                       assay_release_kind_name (release->kind));
  return TRUE;
}

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

/* The words of the items: the members of their sets, or those nearest to what was released. */
static gsize *
words_of_items (const ReleaseMatching *how, const AssayRelease *release, const GArray *items,
                gsize width, GError **error)
{
  const AssayArray *sets = assay_arrays_get (&release->arrays, "sets");
  g_autoptr (AssayFlats) released = NULL;
  gsize *words;

  if (how->words != NULL) {
    const AssaySubspaces subspaces = assay_release_subspaces (release);

    released = assay_flats_new (&subspaces, (const gsize *) (gpointer) items->data, items->len,
                                error);
    return released != NULL ? words_of_flats (released, assay_array_view (how->words), error)
                            : NULL;
  }
  words = assay_alloc (items->len * width, sizeof (gsize), "words", error);
  for (gsize i = 0; words != NULL && i < items->len; i++)
    for (gsize j = 0; j < width; j++)
      words[i * width + j]
          = (gsize) assay_array_int64 (sets)[g_array_index (items, gsize, i) * width + j];
  return words;
}

static GArray *
match_words (const ReleaseMatching *how, const AssayDataset *dataset, const AssayRelease *release,
             const ViewPair *pair, GError **error)
{
  const AssayArray *words
      = how->words != NULL ? how->words : assay_arrays_get (&release->arrays, "dictionary");
  WordMatching matching
      = { .words = assay_array_view (words),
          .n_items = pair->items->len,
          .width = how->words != NULL ? 1 : assay_arrays_get (&release->arrays, "sets")->shape[1],
          .nearest_only = how->filter == FILTER_MUTUAL };
  g_autoptr (AssayMatrix) points
      = assay_matrix_new (pair->references->len, assay_rows_cols (dataset->test), error);
  g_autofree gsize *item_words = NULL;

  if (points == NULL)
    return NULL;
  assay_rows_gather (dataset->test, (const gsize *) (gpointer) pair->references->data, points->rows,
                     assay_release_scale (release), points->data);
  item_words = words_of_items (how, release, pair->items, matching.width, error);
  matching.item_words = item_words;
  matching.references = assay_matrix_view (points);
  return item_words != NULL ? word_matches_new (&matching, error) : NULL;
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

  if (how->mode == MATCH_BY_WORD)
    return match_words (how, dataset, release, pair, error);
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

AssayMatch *
match_release_locate (const ViewPair *pair, const GArray *matches, const float *frames,
                      const float *reference_frames)
{
  AssayMatch *located = g_new (AssayMatch, matches->len);

  for (guint i = 0; i < matches->len; i++) {
    const MatchedPair *match = &g_array_index (matches, MatchedPair, i);
    const float *from = frames + 4 * g_array_index (pair->items, gsize, match->item);
    const float *to
        = reference_frames + 4 * g_array_index (pair->references, gsize, match->reference);

    located[i] = (AssayMatch){ from[0], from[1], to[0], to[1] };
  }
  return located;
}

guint64
match_release_memory (gsize n, gsize r, gsize dimension, gsize lifted_dimension, gsize cols)
{
  const double panels = (double) n / 32 + 1; /* of neighbours_new */

  return (guint64) (assay_flats_memory (n, dimension, cols)
                    + 1.5 * assay_flats_memory (r, lifted_dimension, cols)
                    + panels * (double) r * (sizeof (double) + sizeof (gsize)));
}
