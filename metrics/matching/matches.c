/* Nearest neighbours are found in panels of flats, each against all references a block at a time.
 * A panel keeps the two nearest references of its flats, and of each reference the nearest of its
 * flats; the latter are merged in the order of the panels, so that threads change nothing. */
#include "metrics/matching/matches.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"

#define PANEL 32            /* flats */
#define BLOCK_NUMBERS 65536 /* of a matrix product, which stays in cache */

typedef struct {
  const AssayFlats *released;
  const AssayFlats *references;
  Neighbours *neighbours;
  gsize block;          /* references at a time */
  gsize *best;          /* panels x r: the nearest flat of the panel */
  double *best_squares; /* panels x r */
  double *room;         /* a part for each thread */
  gsize room_of_thread;
} Search;

/* Reference @reference at @square is taken among the two nearest of flat @flat. */
static void
take_reference (Neighbours *neighbours, gsize flat, gsize reference, double square)
{
  if (square >= neighbours->squares[1][flat])
    return;
  if (square < neighbours->squares[0][flat]) {
    neighbours->nearest[1][flat] = neighbours->nearest[0][flat];
    neighbours->squares[1][flat] = neighbours->squares[0][flat];
    neighbours->nearest[0][flat] = reference;
    neighbours->squares[0][flat] = square;
  } else {
    neighbours->nearest[1][flat] = reference;
    neighbours->squares[1][flat] = square;
  }
}

static void
search_panel (gsize panel, guint worker, gpointer data)
{
  const Search *search = data;
  Neighbours *neighbours = search->neighbours;
  const gsize r = neighbours->n_references, first = panel * PANEL;
  const gsize count = MIN (PANEL, neighbours->n - first);
  gsize *best = search->best + panel * r;
  double *best_squares = search->best_squares + panel * r;
  double *squares = search->room + worker * search->room_of_thread;

  for (gsize i = first; i < first + count; i++)
    neighbours->squares[0][i] = neighbours->squares[1][i] = INFINITY;
  for (gsize j = 0; j < r; j++)
    best_squares[j] = INFINITY;
  for (gsize block = 0; block < r; block += search->block) {
    const AssayFlatPairs pairs = {
      search->released, search->references, first, count, block, MIN (search->block, r - block)
    };

    assay_flats_squares (&pairs, squares + PANEL * search->block, squares);
    for (gsize i = 0; i < count; i++)
      for (gsize j = 0; j < pairs.count_b; j++) {
        const double square = squares[i * pairs.count_b + j];

        take_reference (neighbours, first + i, block + j, square);
        if (square < best_squares[block + j]) {
          best_squares[block + j] = square;
          best[block + j] = first + i;
        }
      }
  }
}

/* The nearest flat of each reference, from those of the panels; the first panel's are in place. */
static void
merge_panels (const Search *search, gsize n_panels)
{
  const gsize r = search->neighbours->n_references;

  for (gsize j = 0; j < r; j++) {
    gsize panel = 0;

    for (gsize other = 1; other < n_panels; other++)
      if (search->best_squares[other * r + j] < search->best_squares[panel * r + j])
        panel = other;
    search->neighbours->of_reference[j] = search->best[panel * r + j];
  }
}

static gboolean
search_all (const AssayFlats *released, const AssayFlats *references, Neighbours *neighbours,
            GError **error)
{
  const gsize n_panels = (released->count + PANEL - 1) / PANEL, r = references->count;
  const gsize widest = PANEL * (released->dimension + 1) * (references->dimension + 1);
  const gsize block = CLAMP (BLOCK_NUMBERS / widest, 1, r);
  const AssayFlatPairs pairs = { released, references, 0, PANEL, 0, block };
  const gsize room = PANEL * block + assay_flats_room (&pairs);
  g_auto (AssayArena) arena = { 0 };
  Search search = {
    .released = released,
    .references = references,
    .neighbours = neighbours,
    .block = block,
    .best = assay_arena_alloc (&arena, n_panels * r, sizeof (gsize), "neighbours", error),
    .best_squares = assay_arena_alloc (&arena, n_panels * r, sizeof (double), "neighbours", error),
    .room = assay_arena_alloc (&arena, assay_parallel_threads () * room, sizeof (double),
                               "distances", error),
    .room_of_thread = room,
  };

  if (arena.has_failed)
    return FALSE;
  assay_parallel_for (n_panels, search_panel, &search);
  merge_panels (&search, n_panels);
  return TRUE;
}

static gboolean
check_flats (const AssayFlats *released, const AssayFlats *references, GError **error)
{
  if (released->cols != references->cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release has %zu columns and the descriptors of the other view have "
                       "%zu, expected equal numbers",
                       released->cols, references->cols);
  if (released->dimension + references->dimension >= released->cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "subspaces of dimensions %zu and %zu in %zu columns always meet; expected "
                       "a sum of dimensions under the columns",
                       released->dimension, references->dimension, released->cols);
  return TRUE;
}

Neighbours *
neighbours_new (const AssayFlats *released, const AssayFlats *references, GError **error)
{
  const gsize n = released->count, r = references->count;
  g_autoptr (Neighbours) neighbours = g_new0 (Neighbours, 1);
  AssayArena *arena = &neighbours->arena;

  if (!check_flats (released, references, error))
    return NULL;
  neighbours->n = n;
  neighbours->n_references = r;
  for (guint i = 0; i < 2; i++) {
    neighbours->nearest[i] = assay_arena_alloc (arena, n, sizeof (gsize), "neighbours", error);
    neighbours->squares[i] = assay_arena_alloc (arena, n, sizeof (double), "neighbours", error);
  }
  neighbours->of_reference = assay_arena_alloc (arena, r, sizeof (gsize), "neighbours", error);
  if (arena->has_failed
      || (n > 0 && r > 0 && !search_all (released, references, neighbours, error)))
    return NULL;
  return g_steal_pointer (&neighbours);
}

ASSAY_FREE_FUNC (Neighbours, neighbours_free, assay_arena_clear (&self->arena))

/* ---- Matches ---- */

/* The reference nearest to a flat or to a set of them, which of the flats is so near, and the
 * distances (squared) of it and of the nearest other reference. */
typedef struct {
  gsize flat;
  gsize reference;
  double square;
  double second;
} Candidate;

static Candidate
candidate_of_flat (const Neighbours *neighbours, gsize flat)
{
  return (Candidate){ flat, neighbours->nearest[0][flat], neighbours->squares[0][flat],
                      neighbours->squares[1][flat] };
}

/* A reference's distance to a set is that to the nearest member. The two references nearest to the
 * set are among the two nearest of each member. */
static Candidate
candidate_of_set (const Neighbours *neighbours, const gsize *members, gsize width)
{
  Candidate candidate = candidate_of_flat (neighbours, members[0]);

  for (gsize i = 1; i < width; i++)
    if (neighbours->squares[0][members[i]] < candidate.square)
      candidate = candidate_of_flat (neighbours, members[i]);
  for (gsize i = 0; i < width; i++)
    for (guint place = 0; place < 2; place++)
      if (neighbours->nearest[place][members[i]] != candidate.reference)
        candidate.second = MIN (candidate.second, neighbours->squares[place][members[i]]);
  return candidate;
}

static gboolean
passes (const Neighbours *neighbours, const Candidate *candidate, MatchFilter filter, double ratio)
{
  if ((filter == FILTER_MUTUAL || filter == FILTER_BOTH)
      && neighbours->of_reference[candidate->reference] != candidate->flat)
    return FALSE;
  return (filter != FILTER_RATIO && filter != FILTER_BOTH)
         || candidate->square < ratio * ratio * candidate->second;
}

/* Whether the last matches, as far as they are of the item, have the pair. */
static gboolean
has_pair (const GArray *matches, const MatchedPair *pair)
{
  for (guint i = matches->len; i > 0; i--) {
    const MatchedPair *other = &g_array_index (matches, MatchedPair, i - 1);

    if (other->item != pair->item)
      return FALSE;
    if (other->reference == pair->reference)
      return TRUE;
  }
  return FALSE;
}

GArray *
matches_new (const Neighbours *neighbours, const MatchedItems *items, MatchFilter filter,
             double ratio)
{
  GArray *matches = g_array_new (FALSE, FALSE, sizeof (MatchedPair));
  const gsize n_candidates = items->is_joint ? 1 : items->width;

  for (gsize i = 0; i < items->n_items && neighbours->n_references > 0; i++)
    for (gsize j = 0; j < n_candidates; j++) {
      const gsize *members = items->members != NULL ? items->members + i * items->width : &i;
      const Candidate candidate = items->is_joint
                                      ? candidate_of_set (neighbours, members, items->width)
                                      : candidate_of_flat (neighbours, members[j]);
      const MatchedPair pair = { i, candidate.reference };

      if (passes (neighbours, &candidate, filter, ratio) && !has_pair (matches, &pair))
        g_array_append_val (matches, pair);
    }
  return matches;
}
