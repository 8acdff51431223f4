#include "attacks/generators/seed-search.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"

#define PIECE (gsize) 256 /* seeds that one thread tries at a time */
#define EARLY (gsize) 256
#define EARLY_BITS (gsize) 2048 /* of codes: a bit says less, and its number is drawn faster */
#define EARLY_SCORE 2.5
#define FALSE_ALARMS 1e-9 /* expected in an attack on numbers from elsewhere */
#define MOST_WAYS 8

/* ---- What a program makes of drawn numbers ---- */

static const struct {
  AssayReleaseKind kind;
  KnownDraw draw;
  const char *called;
} uses[N_SEED_USES] = {
  [SEED_NORMAL_NOISE] = { ASSAY_RELEASE_VECTORS, KNOWN_NORMAL, "normal noise" },
  [SEED_LAPLACE_NOISE] = { ASSAY_RELEASE_VECTORS, KNOWN_LAPLACE, "Laplace noise" },
  [SEED_UNIFORM_NOISE] = { ASSAY_RELEASE_VECTORS, KNOWN_UNIFORM, "uniform noise" },
  [SEED_FLIP_BELOW] = { ASSAY_RELEASE_CODES, KNOWN_UNIFORM, "bits flipped by numbers below" },
  [SEED_FLIP_ABOVE] = { ASSAY_RELEASE_CODES, KNOWN_UNIFORM, "bits flipped by numbers above 1 -" },
  [SEED_SIGN_OF_UNIFORM] = { ASSAY_RELEASE_MIXTURES, KNOWN_UNIFORM, "signs of uniform numbers" },
  [SEED_SIGN_OF_NORMAL] = { ASSAY_RELEASE_MIXTURES, KNOWN_NORMAL, "signs of normal numbers" },
  [SEED_SIGN_OF_BIT] = { ASSAY_RELEASE_MIXTURES, KNOWN_BIT, "random bits as signs" },
};

static const double flip_grid[] = { 0.03, 0.1, 0.25, 0.45 };

/* Of mean 0, of @count drawn numbers. */
static void
apply_use (SeedUse use, double p, const double *drawn, gsize count, double *ret_numbers)
{
  switch (use) {
  case SEED_UNIFORM_NOISE:
    for (gsize i = 0; i < count; i++)
      ret_numbers[i] = drawn[i] - 0.5;
    return;
  case SEED_FLIP_BELOW:
    for (gsize i = 0; i < count; i++)
      ret_numbers[i] = (drawn[i] < p ? 1 : 0) - p;
    return;
  case SEED_FLIP_ABOVE:
    for (gsize i = 0; i < count; i++)
      ret_numbers[i] = (drawn[i] >= 1 - p ? 1 : 0) - p;
    return;
  case SEED_SIGN_OF_UNIFORM:
    for (gsize i = 0; i < count; i++)
      ret_numbers[i] = drawn[i] < 0.5 ? -1 : 1;
    return;
  case SEED_SIGN_OF_NORMAL:
    for (gsize i = 0; i < count; i++)
      ret_numbers[i] = drawn[i] < 0 ? -1 : 1;
    return;
  case SEED_SIGN_OF_BIT:
    for (gsize i = 0; i < count; i++)
      ret_numbers[i] = 2 * drawn[i] - 1;
    return;
  default:
    memcpy (ret_numbers, drawn, count * sizeof (double));
  }
}

static double
variance_of (SeedUse use, double p)
{
  switch (use) {
  case SEED_LAPLACE_NOISE:
    return 2;
  case SEED_UNIFORM_NOISE:
    return 1.0 / 12;
  case SEED_FLIP_BELOW:
  case SEED_FLIP_ABOVE:
    return p * (1 - p);
  default:
    return 1;
  }
}

/* ---- The search ---- */

/* One use of drawn numbers, with a p of it. */
typedef struct {
  SeedUse use;
  double p;
} Way;

typedef struct {
  const SeedRange *range;
  const SeedEvidence *evidence;
  AssayReleaseKind kind;
  Way ways[MOST_WAYS]; /* those of one draw stand together */
  guint n_ways;
  SeedFound *best; /* of each piece */
} Search;

static void
list_ways (Search *search)
{
  const double *grid
      = search->range->flip_probability > 0 ? &search->range->flip_probability : flip_grid;
  const guint n_grid = search->range->flip_probability > 0 ? 1 : G_N_ELEMENTS (flip_grid);

  for (guint use = 0; use < N_SEED_USES; use++)
    for (guint i = 0;
         uses[use].kind == search->kind && i < (search->kind == ASSAY_RELEASE_CODES ? n_grid : 1);
         i++)
      search->ways[search->n_ways++] = (Way){ use, grid[i] };
}

static gboolean
is_asked (const SeedRange *range, KnownGenerator generator)
{
  return range->generator == 0 || range->generator == 1 + generator;
}

guint
seed_range_generators (const SeedRange *range)
{
  guint asked = 0;

  for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
    asked += is_asked (range, generator);
  return asked;
}

/* The best offset of one way, by the first @count numbers. Noise may have been added or subtracted;
 * flips and neighbours have one direction. */
static void
try_offsets (const Search *search, const double *drawn, gsize count, double *room,
             SeedFound *candidate)
{
  const gsize offsets = search->range->offsets;
  const double p = candidate->flip_probability;

  apply_use (candidate->use, p, drawn, count + offsets - 1, room);
  candidate->score = -INFINITY;
  for (gsize o = 0; o < offsets; o++) {
    double score
        = seed_evidence_score (search->evidence, room + o, count, variance_of (candidate->use, p));

    score = search->kind == ASSAY_RELEASE_VECTORS ? fabs (score) : score;
    if (score > candidate->score) {
      candidate->score = score;
      candidate->offset = o;
    }
  }
}

/* All ways of one draw, @first .. @end - 1, by the generator and seed of @which. @room is for twice
 * as many numbers as are tried. */
static void
try_seed (const Search *search, const SeedFound *which, guint first, guint end, double *room,
          SeedFound *best)
{
  const KnownDraw draw = uses[search->ways[first].use].draw;
  const gsize count = search->evidence->count, more = search->range->offsets - 1;
  const gsize early = MIN (count, search->kind == ASSAY_RELEASE_CODES ? EARLY_BITS : EARLY);
  double *drawn = room, *used = room + count + more;
  gsize n_drawn = early + more;

  known_generator_fill (which->generator, draw, which->seed, n_drawn, drawn);
  for (guint w = first; w < end; w++) {
    SeedFound tried = *which;

    tried.use = search->ways[w].use;
    tried.flip_probability = search->ways[w].p;
    try_offsets (search, drawn, early, used, &tried);
    if (early < count && tried.score < EARLY_SCORE)
      continue;
    if (n_drawn < count + more) {
      n_drawn = count + more;
      known_generator_fill (which->generator, draw, which->seed, n_drawn, drawn);
    }
    if (early < count)
      try_offsets (search, drawn, count, used, &tried);
    if (tried.score > best->score)
      *best = tried;
  }
}

static guint
end_of_draw (const Search *search, guint first)
{
  guint end = first;

  while (end < search->n_ways
         && uses[search->ways[end].use].draw == uses[search->ways[first].use].draw)
    end++;
  return end;
}

static gboolean
try_seeds (gsize piece, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Search *search = data;
  const SeedRange *range = search->range;
  const gsize first = piece * PIECE, end = MIN (first + PIECE, range->seeds);
  g_autofree double *room = assay_alloc (search->evidence->count + range->offsets,
                                         2 * sizeof (double), "random numbers", error);
  SeedFound best = { .score = -INFINITY };

  if (room == NULL)
    return FALSE;
  for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
    for (guint w = 0, next; w < search->n_ways; w = next) {
      const KnownDraw draw = uses[search->ways[w].use].draw;

      next = end_of_draw (search, w);
      if (is_asked (range, generator) && known_generator_has (generator, draw))
        for (gsize s = first; s < end; s++) {
          const SeedFound which
              = { .generator = generator, .seed = range->first_seed + (guint32) s };

          try_seed (search, &which, w, next, room, &best);
        }
    }
  search->best[piece] = best;
  return TRUE;
}

double
seed_least_score (double tries, double most)
{
  const double sureness = log (tries / FALSE_ALARMS), over = sureness * most / 3;

  return over + sqrt (over * over + 2 * sureness);
}

/* How many scores are compared. */
static double
count_tries (const Search *search)
{
  guint combinations = 0;

  for (guint generator = 0; generator < N_KNOWN_GENERATORS; generator++)
    for (guint w = 0; w < search->n_ways; w++)
      combinations += is_asked (search->range, generator)
                      && known_generator_has (generator, uses[search->ways[w].use].draw);
  return (double) combinations * (double) search->range->seeds * (double) search->range->offsets;
}

/* The largest that one bit can add to a score of flips with this @p. */
static double
most_of_a_bit (const SeedEvidence *evidence, double p)
{
  double most = 0;

  for (gsize i = 0; i < evidence->count; i++)
    most = MAX (most, fabs ((double) evidence->weights[0][i]));
  return evidence->norm > 0 ? most * MAX (p, 1 - p) / (evidence->norm * sqrt (p * (1 - p))) : 0;
}

static gboolean
is_beyond_chance (const Search *search, const SeedFound *found)
{
  const double most = search->kind == ASSAY_RELEASE_CODES && found->score > 0
                          ? most_of_a_bit (search->evidence, found->flip_probability)
                          : 0;

  return found->score > seed_least_score (count_tries (search), most);
}

gboolean
seed_search (const SeedRange *range, AssayReleaseKind kind, const SeedEvidence *evidence,
             SeedFound *ret_found, GError **error)
{
  const gsize pieces = assay_pieces (range->seeds, PIECE);
  g_autofree SeedFound *best = assay_alloc (pieces, sizeof (SeedFound), "seeds", error);
  Search search = { .range = range, .evidence = evidence, .kind = kind, .best = best };
  SeedFound found = { .score = 0 };

  if (best == NULL)
    return FALSE;
  list_ways (&search);
  if (!assay_parallel_try (pieces, try_seeds, &search, error))
    return FALSE;
  for (gsize i = 0; i < pieces; i++)
    if (best[i].score > found.score && is_beyond_chance (&search, &best[i]))
      found = best[i];
  *ret_found = found;
  return TRUE;
}

/* ---- What was found ---- */

static double *
draw_all (const SeedFound *found, gsize count, GError **error)
{
  double *drawn = assay_alloc (count + found->offset, sizeof (double), "random numbers", error);

  if (drawn != NULL)
    known_generator_fill (found->generator, uses[found->use].draw, found->seed,
                          count + found->offset, drawn);
  return drawn;
}

AssayMatrix *
seed_numbers_behind (const SeedFound *found, gsize rows, gsize cols, GError **error)
{
  g_autoptr (AssayMatrix) behind = assay_matrix_new (rows, cols, error);
  g_autofree double *drawn = behind != NULL ? draw_all (found, rows * cols, error) : NULL;

  if (drawn == NULL)
    return NULL;
  apply_use (found->use, found->flip_probability, drawn + found->offset, rows * cols,
             drawn + found->offset);
  for (gsize i = 0; i < rows * cols; i++)
    behind->data[i] = (float) drawn[found->offset + i];
  return g_steal_pointer (&behind);
}

typedef struct {
  double number; /* a bit is flipped where it is below p */
  double weight;
} Bit;

static int
compare_bits (gconstpointer a, gconstpointer b)
{
  const double x = ((const Bit *) a)->number, y = ((const Bit *) b)->number;

  return (x > y) - (x < y);
}

gboolean
seed_estimate_flips (const SeedEvidence *evidence, SeedFound *inout_found, GError **error)
{
  const gsize n = evidence->count;
  g_autofree double *drawn = draw_all (inout_found, n, error);
  g_autofree Bit *bits = assay_alloc (n, sizeof (Bit), "bits", error);
  double mean = 0, sum = 0, most = -INFINITY;

  if (drawn == NULL || bits == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const double number = drawn[inout_found->offset + i];

    bits[i] = (Bit){ inout_found->use == SEED_FLIP_BELOW ? number : 1 - number,
                     (double) evidence->weights[0][i] };
    mean += bits[i].weight / (double) n;
  }
  qsort (bits, n, sizeof (Bit), compare_bits);
  for (gsize i = 0; i + 1 < n; i++) {
    sum += bits[i].weight - mean;
    if (sum > most) {
      most = sum;
      inout_found->flip_probability = (bits[i].number + bits[i + 1].number) / 2;
    }
  }
  return TRUE;
}

char *
seed_describe (const SeedFound *found)
{
  const gboolean is_flip = uses[found->use].kind == ASSAY_RELEASE_CODES;
  g_autofree char *p = is_flip ? g_strdup_printf (" %.3g", found->flip_probability) : g_strdup ("");

  return g_strdup_printf ("seed %u of %s, %s%s, from number %zu; %.0f deviations off chance",
                          found->seed, known_generator_calls[found->generator],
                          uses[found->use].called, p, found->offset, found->score);
}
