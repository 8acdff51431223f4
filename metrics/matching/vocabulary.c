/* Matching by the words of a dictionary. References stand in lists, one a word, in their order. */
#include "metrics/matching/vocabulary.h"

#include <string.h>

#include "core/search/knn.h"

gsize *
words_of_flats (const AssayFlats *flats, AssayView words, GError **error)
{
  const AssaySubspaces points
      = { .count = words.rows, .cols = words.cols, .translation = words.data };
  g_autoptr (AssayFlats) centres = assay_flats_new (&points, NULL, words.rows, error);
  g_autoptr (Neighbours) neighbours = NULL;
  gsize *nearest;

  if (centres == NULL)
    return NULL;
  neighbours = neighbours_new (flats, centres, error);
  nearest = neighbours != NULL ? assay_alloc (flats->count, sizeof (gsize), "words", error) : NULL;
  if (nearest != NULL)
    memcpy (nearest, neighbours->nearest[0], flats->count * sizeof (gsize));
  return nearest;
}

/* Lists: @first (K) begins them, @next (r) goes on; r ends them. Of nearest references, a list has
 * one. */
static void
list_references (const WordMatching *matching, const AssayNearest *of_reference, gsize *first,
                 gsize *next)
{
  const gsize r = matching->references.rows;

  for (gsize w = 0; w < matching->words.rows; w++)
    first[w] = r;
  for (gsize j = r; j-- > 0;) {
    const gsize word = of_reference->rows[j];

    next[j] = first[word];
    if (!matching->nearest_only || first[word] == r
        || of_reference->distances[j] <= of_reference->distances[first[word]])
      first[word] = j;
    if (matching->nearest_only)
      next[j] = r;
  }
}

GArray *
word_matches_new (const WordMatching *matching, GError **error)
{
  const gsize r = matching->references.rows, n_words = matching->words.rows;
  g_autoptr (AssayNearest) of_reference = NULL;
  g_autofree gsize *first = assay_alloc (n_words, sizeof (gsize), "words", error);
  g_autofree gsize *next = assay_alloc (r, sizeof (gsize), "references", error);
  GArray *matches;

  if (first == NULL || next == NULL)
    return NULL;
  of_reference = assay_knn_search (matching->words, matching->references, 1, error);
  if (of_reference == NULL)
    return NULL;
  list_references (matching, of_reference, first, next);
  matches = g_array_new (FALSE, FALSE, sizeof (MatchedPair));
  for (gsize i = 0; i < matching->n_items; i++)
    for (gsize j = 0; j < matching->width; j++)
      for (gsize k = first[matching->item_words[i * matching->width + j]]; k < r; k = next[k]) {
        const MatchedPair pair = { i, k };

        g_array_append_val (matches, pair);
      }
  return matches;
}
