/* The coarse pass of a scan: what it rules out changes nothing that is found, to the bit. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "core/search/scan-prune.h"
#include "core/search/scan.h"
#include "tests/unit/seeds.h"

typedef enum {
  CLUSTERS,   /* bytes: small differences from a few rows, some of them copies */
  BYTES,      /* independent bytes */
  NORMAL,     /* floats of both signs */
  SPECIAL,    /* the same, some of them not finite, 0, huge or tiny */
  EQUIDISTANT /* all as far from any subspace that is the origin */
} Kind;

typedef struct {
  Kind kind;
  gsize n, m, d;
  gsize n_rows;
  gsize k;
  AssayScale scale;
} Case;

typedef struct {
  AssayRows *rows;
  AssaySubspaces subspaces;
  float *translation;
  float *basis;
} Problem;

static float
draw_special (AssayStream *stream)
{
  static const float special[]
      = { NAN, INFINITY, -INFINITY, 3e38f, -1e19f, 1e15f, 1e-19f, 1e-30f, 1e-42f, 0 };
  const guint64 choice = assay_stream_below (stream, 20000);

  return choice < G_N_ELEMENTS (special) ? special[choice] : (float) assay_stream_normal (stream);
}

static void
draw_row (const Case *c, gsize index, AssayStream *stream, float *ret_row)
{
  AssayStream centre = assay_stream (assay_stream_key (21, 0, "data", "centre"), index * 7 % 13);
  const gboolean is_copy = index % 3 == 0;
  const float length = c->kind == SPECIAL && index % 50 == 1 ? 1e-30f : 1;

  for (gsize j = 0; j < c->d; j++)
    switch (c->kind) {
    case CLUSTERS:
      ret_row[j] = (float) (assay_stream_below (&centre, 200)
                            + (is_copy ? 0 : assay_stream_below (stream, 20)));
      break;
    case BYTES:
      ret_row[j] = (float) assay_stream_below (stream, 256);
      break;
    case NORMAL:
      ret_row[j] = (float) assay_stream_normal (stream);
      break;
    case SPECIAL:
      ret_row[j] = length * draw_special (stream);
      break;
    case EQUIDISTANT:
      ret_row[j] = j == index % c->d ? 1 : 0;
    }
}

/* Subspaces through rows, but for those of EQUIDISTANT. */
static void
draw_subspace (const Case *c, Problem *problem, gsize index, const float *row)
{
  AssayStream stream = assay_stream (assay_stream_key (22, 0, "defense", ""), index);
  g_autofree double *basis = g_new (double, c->m * c->d + 1);
  float *translation = problem->translation + index * c->d;

  for (gsize i = 0; i < c->m * c->d; i++)
    basis[i] = assay_stream_normal (&stream);
  cr_assert (assay_linalg_orthonormalize (basis, c->m, c->d, NULL));
  for (gsize i = 0; i < c->d; i++)
    translation[i] = c->kind == EQUIDISTANT || !isfinite (row[i]) ? 0 : row[i];
  for (gsize j = 0; j < c->m; j++) {
    const double part = assay_stream_between (&stream, -3, 3);

    for (gsize i = 0; i < c->d; i++) {
      translation[i] += (float) (part * basis[j * c->d + i]);
      problem->basis[(index * c->m + j) * c->d + i] = (float) basis[j * c->d + i];
    }
  }
}

static Problem
make_problem (const Case *c)
{
  AssayMatrix *matrix = assay_matrix_new (c->n_rows, c->d, NULL);
  Problem problem = { .translation = g_new0 (float, c->n * c->d),
                      .basis = g_new0 (float, c->n * c->m * c->d + 1) };
  g_autofree float *row = g_new (float, c->d);

  for (gsize i = 0; i < c->n_rows; i++) {
    AssayStream stream = assay_stream (assay_stream_key (21, 0, "data", ""), i);

    draw_row (c, i, &stream, assay_matrix_row (matrix, i));
  }
  problem.rows = assay_rows_take_matrix (matrix);
  for (gsize i = 0; i < c->n; i++) {
    assay_rows_read (problem.rows, 31 * i % c->n_rows, 1, c->scale, row);
    draw_subspace (c, &problem, i, row);
  }
  problem.subspaces = (AssaySubspaces){ .count = c->n,
                                        .dimension = c->m,
                                        .cols = c->d,
                                        .translation = problem.translation,
                                        .basis = c->m > 0 ? problem.basis : NULL };
  return problem;
}

static void
clear_problem (Problem *problem)
{
  assay_rows_unref (problem->rows);
  g_free (problem->translation);
  g_free (problem->basis);
}

static AssayNearest *
scan (const Case *c, const Problem *problem, AssayScanMethod method, guint threads,
      AssayScanWork *ret_work)
{
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest;

  assay_parallel_set_threads (threads);
  nearest = assay_scan_subspaces_by (method, &problem->subspaces,
                                     &(AssaySearchSet){ .rows = problem->rows, .scale = c->scale },
                                     c->k, ret_work, &error);
  cr_assert (nearest != NULL, "%s", error == NULL ? "" : error->message);
  return nearest;
}

/* Returns what one thread did. */
static AssayScanWork
check_same (const Case *c, const Problem *problem)
{
  g_autofree char *what
      = g_strdup_printf ("kind %u, n %zu, m %zu, d %zu, rows %zu, k %zu, scale %u", c->kind, c->n,
                         c->m, c->d, c->n_rows, c->k, c->scale);
  g_autoptr (AssayNearest) brute = scan (c, problem, ASSAY_SCAN_BRUTE, 1, NULL);
  AssayScanWork first = { 0 };

  for (guint threads = 1; threads <= 3; threads++) {
    AssayScanWork work;
    g_autoptr (AssayNearest) pruned = scan (c, problem, ASSAY_SCAN_PRUNED, threads, &work);

    cr_assert (work.pairs == c->n * c->n_rows && work.coarse <= work.pairs
               && work.left <= work.coarse);
    cr_assert (memcmp (brute->rows, pruned->rows, c->n * c->k * sizeof (gsize)) == 0,
               "%s: %u threads: rows", what, threads);
    cr_assert (memcmp (brute->distances, pruned->distances, c->n * c->k * sizeof (float)) == 0,
               "%s: %u threads: distances", what, threads);
    if (threads == 1)
      first = work;
  }
  return first;
}

/* Whether the products of its first block with whole panels can be done without. */
static gboolean
is_coarse (const Case *c)
{
  const gsize block = MIN (512 / (c->m + 1), c->n);

  return prune_is_possible () && prune_has_chains (block * (c->m + 1), 512, c->d);
}

static AssayScanWork
check_case (const Case *c)
{
  Problem problem = make_problem (c);
  const AssayScanWork work = check_same (c, &problem);

  clear_problem (&problem);
  return work;
}

static const Case cases[] = {
  { CLUSTERS, 120, 4, 128, 5000, 10, ASSAY_SCALE_UNIT },
  { CLUSTERS, 210, 4, 128, 4100, 1, ASSAY_SCALE_NONE },
  { CLUSTERS, 103, 4, 128, 6000, 500, ASSAY_SCALE_UNIT },
  { BYTES, 300, 1, 33, 5000, 3, ASSAY_SCALE_UNIT },
  { BYTES, 600, 0, 128, 3000, 20, ASSAY_SCALE_NONE },
  { NORMAL, 60, 16, 128, 5000, 1, ASSAY_SCALE_NONE },
  { NORMAL, 200, 5, 64, 4000, 64, ASSAY_SCALE_UNIT },
  { NORMAL, 40, 12, 384, 3000, 5, ASSAY_SCALE_NONE },
  { NORMAL, 40, 12, 700, 2000, 5, ASSAY_SCALE_NONE }, /* sums in pieces */
  { NORMAL, 80, 6, 7, 4000, 9, ASSAY_SCALE_NONE },
  { NORMAL, 300, 0, 1, 2000, 2, ASSAY_SCALE_NONE },
  { NORMAL, 3, 2, 128, 4000, 2, ASSAY_SCALE_NONE }, /* too few for a whole block */
  { NORMAL, 110, 4, 128, 40, 40, ASSAY_SCALE_NONE },
  { NORMAL, 110, 4, 128, 1500, 1500, ASSAY_SCALE_UNIT },
  { SPECIAL, 110, 4, 128, 5000, 2, ASSAY_SCALE_NONE },
  { SPECIAL, 110, 4, 128, 5000, 2, ASSAY_SCALE_UNIT },
  { SPECIAL, 110, 4, 30, 3000, 2950, ASSAY_SCALE_NONE },
  { SPECIAL, 600, 0, 16, 4000, 1, ASSAY_SCALE_NONE },
};

Test (scan_prune, finds_the_same, .timeout = 100)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayScanWork work = check_case (&cases[i]);

    if (cases[i].d == 128 && cases[i].n_rows / 4 > cases[i].k)
      cr_assert ((work.coarse > 0) == is_coarse (&cases[i]), "case %zu", i);
  }
}

/* Every m from 0 to 16, with sizes drawn at random. */
Test (scan_prune, finds_the_same_at_random, .timeout = 100)
{
  TEST_OF_RESULTS ();

  AssayStream stream = assay_stream (assay_stream_key (23, 0, "metric", ""), 0);

  for (gsize m = 0; m <= 16; m++) {
    Case c = { .kind = (Kind) assay_stream_below (&stream, EQUIDISTANT),
               .n = 512 / (m + 1) + assay_stream_below (&stream, 40),
               .m = m,
               .d = MAX (m, 1) + assay_stream_below (&stream, 150),
               .n_rows = 1500 + assay_stream_below (&stream, 2000),
               .scale = (AssayScale) assay_stream_below (&stream, 2) };

    c.k = 1 + assay_stream_below (&stream, m % 4 == 3 ? c.n_rows : 30);
    check_case (&c);
  }
}

/* Of thirteen clusters most are ruled out, and every panel but the first has a bar to do it by. */
Test (scan_prune, rules_out_most_rows)
{
  const Case c = { CLUSTERS, 204, 4, 128, 20480, 10, ASSAY_SCALE_UNIT };
  const AssayScanWork work = check_case (&c);

  if (!is_coarse (&c))
    return;
  cr_assert (work.coarse > work.pairs * 9 / 10, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
             work.coarse, work.pairs);
  cr_assert (work.left < work.coarse / 8, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " left",
             work.left, work.coarse);
}

/* Where no row can be ruled out, the pass is soon given up: after 1, 3, 7, 15 and 31 panels. */
Test (scan_prune, gives_up_where_it_gains_nothing)
{
  const Case c = { EQUIDISTANT, 512, 0, 128, 40960, 3, ASSAY_SCALE_NONE };
  const AssayScanWork work = check_case (&c);

  if (!is_coarse (&c))
    return;
  cr_assert (work.left == work.coarse && work.coarse > 0);
  cr_assert (work.coarse <= work.pairs / 80 * 7, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT,
             work.coarse, work.pairs);
}

/* A basis that is not orthonormal, not finite or far too short is no reason to lose rows. */
Test (scan_prune, any_basis)
{
  const Case c = { NORMAL, 110, 4, 128, 4000, 3, ASSAY_SCALE_NONE };
  const float factors[] = { 1.2f, 3, 0.1f, 1e-25f, 1e25f, NAN, 0 };
  Problem problem = make_problem (&c);

  for (gsize i = 0; i < c.n; i++)
    for (gsize j = 0; j < c.d; j++)
      problem.basis[(i * c.m + i % c.m) * c.d + j] *= factors[i % G_N_ELEMENTS (factors)];
  check_same (&c, &problem);
  for (gsize i = 0; i < c.n; i++)
    problem.translation[i * c.d] = i % 2 == 0 ? NAN : 1e30f;
  check_same (&c, &problem);
  clear_problem (&problem);
}

/* Whether the only row is marked for the only subspace when the bar is at @bar. */
static gboolean
is_marked (const float *row, const float *stack, gsize stacked, gsize cols, float bar)
{
  g_auto (AssayArena) arena = { 0 };
  Prune *prune = prune_new (1, stacked, 1, cols, &arena, NULL);
  PrunePanel *panel = prune_panel_new (64, cols, &arena, NULL);
  g_autofree gint32 *scratch = g_new (gint32, 64 * stacked);
  guint64 marks[PRUNE_WORDS];
  float norms[64] = { 0 };
  gsize count;

  for (gsize j = 0; j < cols; j++)
    norms[0] += row[j] * row[j];
  prune_set_subspace (prune, 0, stack);
  prune_panel_load (panel, row, norms, 1, cols);
  count = prune_mark (prune, panel, &(PruneBars){ 0, 1, &bar }, scratch, marks);
  cr_assert (count == (marks[0] & 1) && count == marks[0]);
  return count == 1;
}

/* Rounding to eight bits that is as bad as it can be, in t' (127 and many 10.49, rounded to 127 and
 * 10) and in the row (255 and as many): a bound without it would be too high by 2 x 127 x 0.49.
 * With the bar four times that below the distance the row is passed over. */
Test (scan_prune, errors_of_quantisation_count)
{
  enum { D = 128 };
  float ones[D], uneven[D];
  float square;

  if (!prune_is_possible ())
    return;
  for (gsize largest = 127; largest <= 255; largest += 128) {
    square = 0;
    for (gsize j = 0; j < D; j++) {
      ones[j] = 1;
      uneven[j] = j == 0 ? (float) largest : 10.49f;
      square += (uneven[j] - 1) * (uneven[j] - 1);
    }
    if (largest == 127) {
      cr_assert (is_marked (ones, uneven, 1, D, square));
      cr_assert (!is_marked (ones, uneven, 1, D, square - 4 * 2 * 127 * 0.49f));
    } else {
      cr_assert (is_marked (uneven, ones, 1, D, square));
      cr_assert (!is_marked (uneven, ones, 1, D, square - 4 * 2 * 127 * 0.49f));
    }
  }
}

/* ||w||^2 + ||t'||^2 is too large for a float, but not the distance, which is 1e19. */
Test (scan_prune, an_overflow_rules_nothing_out)
{
  const float row[] = { 1.7e19f, 1, 0, 0 };
  const float stack[] = { 0, 1e19f, 0, 0, 1, 0, 0, 0 };

  if (prune_is_possible ())
    cr_assert (is_marked (row, stack, 2, 4, 1.1e38f));
}
