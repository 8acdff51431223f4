/* Matching by words: two descriptors match where they fall to the same entry of a dictionary, the
 * vocabulary (Nister and Stewenius 2006; Pittaluga and Zhuang 2023, LDP-FEAT, section 6.2).
 *
 * LDP-FEAT releases words as they are, so that a receiver who quantises its own descriptors by the
 * same dictionary asks for equality. That is stricter than nearest neighbours are: a member that
 * was drawn at random has a match only where one of the other view's descriptors falls to it. */
#pragma once

#include "core/data/rows.h"
#include "metrics/matching/matches.h"

/* What one pair of photographs is matched by. */
typedef struct {
  AssayView words;         /* K x d */
  const gsize *item_words; /* n_items x width: the word of each flat of an item */
  gsize n_items;
  gsize width;
  AssayView references;  /* r x d, scaled as the words are */
  gboolean nearest_only; /* of several references at one word, the one nearest to it alone */
} WordMatching;

/* The pairs of an item and a reference that share a word, ordered by item; none occurs twice if an
 * item's words are distinct. ASSAY_ERROR_MISMATCH: columns differ. Free with g_array_unref. */
GArray *word_matches_new (const WordMatching *matching, GError **error);

/* The word nearest to each of @flats, points or subspaces (count numbers, to be freed). */
gsize *words_of_flats (const AssayFlats *flats, AssayView words, GError **error);
