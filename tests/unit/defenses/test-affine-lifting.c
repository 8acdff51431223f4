/* Affine lifting: what a subspace must hold, and what must not be read off it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-scan.h"
#include "tests/reference/sample-tests.h"

extern const AssayDefense assay_defense_affine_lifting;

typedef struct {
  AssayMatrix *secrets; /* as they are protected */
  AssayRelease *release;
  AssayTruth *truth;
  AssaySubspaces subspaces;
} Lifted;

static void
lifted_clear (Lifted *lifted)
{
  g_clear_pointer (&lifted->secrets, assay_matrix_free);
  g_clear_pointer (&lifted->release, assay_release_free);
  g_clear_pointer (&lifted->truth, assay_truth_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lifted, lifted_clear)

static gboolean
lift (const char *assignments, AssayView secrets, AssayRows *database, guint64 seed,
      Lifted *ret_lifted, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_affine_lifting.plugin, assignments);
  Lifted lifted = { 0 };

  if (!fixture_protect (&assay_defense_affine_lifting, settings,
                        assay_stream_key (seed, 0, "defense", "test"), secrets, database,
                        &lifted.release, &lifted.truth, error))
    return FALSE;
  lifted.secrets = assay_matrix_copy (
      assay_array_view (assay_arrays_get (&lifted.truth->arrays, "secrets")), NULL);
  lifted.subspaces = assay_release_subspaces (lifted.release);
  *ret_lifted = lifted;
  return TRUE;
}

static double
dot (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

/* ---- What a subspace must hold ---- */

/* Translation and basis are rounded to float32, by 2^-24 of each number. A point p of D then
 * lies off it by 2^-24 ||t|| for the translation, and twice by 2^-24 sqrt (m) ||p - t|| for the
 * basis, with and of which it is measured; p itself was rounded where it was scaled. Doubled to
 * be safe. */
static void
check_lies_in (const Lifted *lifted, gsize secret, const float *point, const char *what)
{
  const AssaySubspaces *subspaces = &lifted->subspaces;
  const gsize n = subspaces->cols;
  const float *t = subspaces->translation + secret * n;
  const double length = sqrt (dot (t, t, n)), own = sqrt (dot (point, point, n));
  const double reach = sqrt ((double) subspaces->dimension) * (length + own);
  const double tolerance = 2 * 0x1p-24 * (length + own + 2 * reach);
  const double distance = naive_scan_distance (subspaces, secret, point);

  cr_assert (distance <= tolerance, "%s, m %zu, secret %zu: at distance %g, expected at most %g",
             what, subspaces->dimension, secret, distance, tolerance);
}

/* Inner products of rows rounded to float32: each is off by at most 2 * 2^-24, 1 by as much. */
static void
check_orthonormal (const Lifted *lifted, gsize secret, const char *what)
{
  const gsize m = lifted->subspaces.dimension, n = lifted->subspaces.cols;
  const float *basis = lifted->subspaces.basis + secret * m * n;

  for (gsize i = 0; i < m; i++)
    for (gsize j = 0; j <= i; j++)
      cr_assert (fabs (dot (basis + i * n, basis + j * n, n) - (i == j)) <= 3 * 0x1p-24,
                 "%s, m %zu, secret %zu: rows %zu and %zu", what, m, secret, i, j);
}

/* The rows that the truth names: distinct, in range, of one part under sub-hybrid, and in D. */
static void
check_adversarial (const Lifted *lifted, AssayRows *database, gsize secret, gsize count,
                   gsize parts, const char *what)
{
  const gsize n = lifted->subspaces.cols;
  const AssayArray *array = assay_arrays_get (&lifted->truth->arrays, "adversarial");
  const gint64 *named = assay_array_int64 (array) + secret * count;
  const AssayScale scale = lifted->release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE;
  g_autofree float *row = g_new (float, n);

  cr_assert (array->n_dimensions == 2 && array->shape[1] == count, "%s: %zu named", what,
             array->shape[1]);
  for (gsize i = 0; i < count; i++) {
    cr_assert (named[i] >= 0 && named[i] < (gint64) assay_rows_count (database), "%s", what);
    cr_assert (named[i] % (gint64) parts == named[0] % (gint64) parts, "%s: two parts", what);
    for (gsize j = 0; j < i; j++)
      cr_assert (named[i] != named[j], "%s: row %d twice", what, (int) named[i]);
    assay_rows_read (database, (gsize) named[i], 1, scale, row);
    check_lies_in (lifted, secret, row, what);
  }
}

static void
check_variant (const char *variant, gsize n, gsize m, gsize count, gsize parts, gboolean normalize)
{
  enum { SECRETS = 40, DATABASE = 211 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, n, 1);
  g_autoptr (AssayRows) database = fixture_normal_rows (DATABASE, n, 2);
  g_autofree char *what
      = g_strdup_printf ("variant=%s dimension=%zu sub_databases=%zu normalize=%s", variant, m,
                         parts, normalize ? "yes" : "no");
  g_auto (Lifted) lifted = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (lift (what, assay_matrix_view (secrets), database, 7, &lifted, &error), "%s: %s", what,
             error != NULL ? error->message : "");
  cr_assert (lifted.subspaces.count == SECRETS && lifted.subspaces.dimension == m
                 && lifted.subspaces.cols == n && lifted.release->is_unit_norm == normalize,
             "%s", what);
  cr_assert ((assay_arrays_get (&lifted.truth->arrays, "adversarial") != NULL) == (count > 0), "%s",
             what);
  for (gsize s = 0; s < SECRETS; s++) {
    const float *given = assay_matrix_row (secrets, s), *own = assay_matrix_row (lifted.secrets, s);
    const double length = normalize ? sqrt (dot (given, given, n)) : 1;

    for (gsize j = 0; j < n; j++)
      cr_assert (own[j] == (float) (given[j] / length), "%s: secret %zu", what, s);
    check_lies_in (&lifted, s, own, what);
    check_orthonormal (&lifted, s, what);
    if (count > 0)
      check_adversarial (&lifted, database, s, count, parts, what);
  }
}

Test (affine_lifting, a_subspace_holds_its_points)
{
  static const gsize shapes[][2] = { { 128, 1 }, { 128, 2 }, { 128, 4 }, { 128, 8 }, { 128, 16 },
                                     { 128, 5 }, { 2, 1 },   { 5, 4 },   { 17, 16 }, { 3, 2 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (gboolean normalize = FALSE; normalize <= TRUE; normalize++) {
      const gsize n = shapes[i][0], m = shapes[i][1];

      check_variant ("random", n, m, 0, 1, normalize);
      check_variant ("adversarial", n, m, m, 1, normalize);
      if (m % 2 != 0)
        continue;
      check_variant ("hybrid", n, m, m / 2, 1, normalize);
      check_variant ("sub-hybrid", n, m, m / 2, 16, normalize);
      check_variant ("sub-hybrid", n, m, m / 2, 3, normalize);
    }
}

/* Every row, and under sub-hybrid every part, is equally likely: chi-square of 6,000 draws,
 * exceeded with a chance of 10^-6. The 16 rows of 5 parts are 4 + 3 + 3 + 3 + 3. */
Test (affine_lifting, rows_are_drawn_uniformly)
{
  enum { SECRETS = 3000, ROWS = 16, PARTS = 5 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, 6, 1);
  g_autoptr (AssayRows) database = fixture_normal_rows (ROWS, 6, 2);
  g_auto (Lifted) hybrid = { 0 };
  g_auto (Lifted) sub = { 0 };
  gsize rows[ROWS] = { 0 }, parts[PARTS] = { 0 }, in_part[4] = { 0 };
  const gint64 *named;

  cr_assert (lift ("variant=hybrid", assay_matrix_view (secrets), database, 1, &hybrid, NULL));
  named = assay_array_int64 (assay_arrays_get (&hybrid.truth->arrays, "adversarial"));
  for (gsize i = 0; i < 2 * SECRETS; i++)
    rows[named[i]]++;
  cr_assert (sample_chi_square (rows, ROWS) < sample_chi_square_bound (ROWS, 1e-6), "rows: %g",
             sample_chi_square (rows, ROWS));
  cr_assert (lift ("variant=sub-hybrid sub_databases=5", assay_matrix_view (secrets), database, 1,
                   &sub, NULL));
  named = assay_array_int64 (assay_arrays_get (&sub.truth->arrays, "adversarial"));
  for (gsize i = 0; i < 2 * SECRETS; i += 2) {
    parts[named[i] % PARTS]++;
    if (named[i] % PARTS == 0)
      in_part[named[i] / PARTS]++;
  }
  cr_assert (sample_chi_square (parts, PARTS) < sample_chi_square_bound (PARTS, 1e-6), "parts: %g",
             sample_chi_square (parts, PARTS));
  cr_assert (sample_chi_square (in_part, 4) < sample_chi_square_bound (4, 1e-6), "in part: %g",
             sample_chi_square (in_part, 4));
}

/* ---- What must not be read off ---- */

/* The part of the translation along the subspace is that of e_0 ~ U([-1, 1])^n: given D and d, its
 * component towards d has mean 0 and variance 1/3, wherever in D the secret is. A translation that
 * stayed near d would have the mean ||P d||, about 0.5 sqrt (m / 16) here. Tolerances: 4 standard
 * errors, sqrt (1/3 / N) and at most sqrt (2/9 / N), as sums of uniforms have lighter tails than
 * the normal. */
static void
check_translation (const char *variant)
{
  enum { SECRETS = 4000, COLS = 16 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  g_autoptr (AssayRows) database = fixture_normal_rows (100, COLS, 2);
  g_autofree char *assignments = g_strdup_printf ("variant=%s dimension=4", variant);
  g_auto (Lifted) lifted = { 0 };
  double sum = 0, square = 0;

  cr_assert (lift (assignments, assay_matrix_view (secrets), database, 3, &lifted, NULL));
  for (gsize s = 0; s < SECRETS; s++) {
    const float *d = assay_matrix_row (lifted.secrets, s);
    const float *t = lifted.subspaces.translation + s * COLS;
    double inner = 0, length = 0;

    for (gsize i = 0; i < 4; i++) {
      const float *b = lifted.subspaces.basis + (s * 4 + i) * COLS;
      const double of_d = dot (b, d, COLS);

      inner += of_d * dot (b, t, COLS);
      length += of_d * of_d;
    }
    sum += inner / sqrt (length);
    square += inner * inner / length;
  }
  cr_assert (fabs (sum / SECRETS) < 4 * sqrt (1.0 / 3 / SECRETS), "%s: mean %g", variant,
             sum / SECRETS);
  cr_assert (fabs (square / SECRETS - 1.0 / 3) < 4 * sqrt (2.0 / 9 / SECRETS), "%s: variance %g",
             variant, square / SECRETS);
}

Test (affine_lifting, translation_says_nothing_of_where_the_secret_is)
{
  check_translation ("random");
  check_translation ("adversarial");
  check_translation ("hybrid");
  check_translation ("sub-hybrid");
}

/* Places of the translation on the line through @from and @to (in units of length, from @from),
 * over many secrets that are all @secret with @other as the whole database. */
static double *
places_on_line (const float *secret, const float *other, const float *from, const float *to,
                gsize n, gsize count, guint64 seed)
{
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (count, n, NULL);
  g_autoptr (AssayMatrix) database = assay_matrix_new (1, n, NULL);
  g_autoptr (AssayRows) rows = NULL;
  g_auto (Lifted) lifted = { 0 };
  double *places = g_new0 (double, count);
  double length = 0;

  for (gsize i = 0; i < count; i++)
    memcpy (assay_matrix_row (secrets, i), secret, n * sizeof (float));
  memcpy (database->data, other, n * sizeof (float));
  rows = fixture_rows (database);
  cr_assert (lift ("variant=adversarial dimension=1 normalize=no", assay_matrix_view (secrets),
                   rows, seed, &lifted, NULL));
  for (gsize j = 0; j < n; j++)
    length += pow ((double) to[j] - from[j], 2);
  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < n; j++)
      places[i] += ((double) lifted.subspaces.translation[i * n + j] - from[j])
                   * ((double) to[j] - from[j]) / sqrt (length);
  return places;
}

/* One line, two ways to get it: d lifted by a, and a lifted by d. Whoever sees the translation must
 * not be able to tell which: two-sample Kolmogorov-Smirnov, 4,000 each, a false alarm with a chance
 * of 10^-6. Its mean is that of e_0, the foot of the origin, and its variance 1/3. */
Test (affine_lifting, roles_on_a_line_can_be_swapped)
{
  enum { COLS = 8, COUNT = 4000 };
  g_autoptr (AssayMatrix) points = fixture_normal (2, COLS, 5);
  const float *d = assay_matrix_row (points, 0), *a = assay_matrix_row (points, 1);
  g_autofree double *of_d = places_on_line (d, a, d, a, COLS, COUNT, 1);
  g_autofree double *of_a = places_on_line (a, d, d, a, COLS, COUNT, 2);
  const double gap = sqrt (dot (d, d, COLS) + dot (a, a, COLS) - 2 * dot (d, a, COLS));
  const double foot = (dot (d, d, COLS) - dot (d, a, COLS)) / gap;
  double sum = 0, square = 0;

  cr_assert (sample_ks_two (of_d, COUNT, of_a, COUNT) < sample_ks_two_bound (COUNT, COUNT, 1e-6),
             "distance %g", sample_ks_two (of_d, COUNT, of_a, COUNT));
  for (gsize i = 0; i < COUNT; i++) {
    sum += of_d[i];
    square += pow (of_d[i] - foot, 2);
  }
  cr_assert (fabs (sum / COUNT - foot) < 4 * sqrt (1.0 / 3 / COUNT), "mean %g instead of %g",
             sum / COUNT, foot);
  cr_assert (fabs (square / COUNT - 1.0 / 3) < 4 * sqrt (2.0 / 9 / COUNT), "variance %g",
             square / COUNT);
}

/* |cos| of the directions a_j - d with the basis rows: each row's, and the largest. */
static void
collect_cosines (const Lifted *lifted, AssayRows *database, gsize count, double **by_row,
                 double *largest)
{
  const gsize m = lifted->subspaces.dimension, n = lifted->subspaces.cols;
  const gint64 *named
      = assay_array_int64 (assay_arrays_get (&lifted->truth->arrays, "adversarial"));
  g_autofree float *direction = g_new (float, n);

  for (gsize s = 0; s < lifted->subspaces.count; s++) {
    const float *d = lifted->secrets->data + s * n;

    assay_rows_read (database, (gsize) named[s * count], 1, ASSAY_SCALE_UNIT, direction);
    for (gsize j = 0; j < n; j++)
      direction[j] -= d[j];
    largest[s] = 0;
    for (gsize i = 0; i < m; i++) {
      by_row[i][s] = fabs (dot (lifted->subspaces.basis + (s * m + i) * n, direction, n))
                     / sqrt (dot (direction, direction, n));
      largest[s] = MAX (largest[s], by_row[i][s]);
    }
  }
}

/* In a uniformly random orthonormal basis of the span, a_j - d has the coordinates of a random unit
 * vector of R^m. Two-sample Kolmogorov-Smirnov, 3,000 each, a false alarm with a chance of 10^-6
 * (the e_i are uniform, not normal: in 128 dimensions their projections are normal to less than the
 * distance of 0.07 that is tested). A basis made of the directions themselves has a |cos| of 1. */
Test (affine_lifting, basis_is_not_aligned_with_the_directions)
{
  enum { SECRETS = 3000, COLS = 128, M = 4 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  g_autoptr (AssayRows) database = fixture_normal_rows (500, COLS, 2);
  AssayStream stream = assay_stream (assay_stream_key (5, 0, "reference", ""), 0);
  static double rows[M][SECRETS], largest[SECRETS], one[SECRETS], one_largest[SECRETS];
  double *by_row[M] = { rows[0], rows[1], rows[2], rows[3] };
  g_auto (Lifted) lifted = { 0 };
  const double bound = sample_ks_two_bound (SECRETS, SECRETS, 1e-6);

  cr_assert (
      lift ("variant=hybrid dimension=4", assay_matrix_view (secrets), database, 9, &lifted, NULL));
  collect_cosines (&lifted, database, 2, by_row, largest);
  for (gsize s = 0; s < SECRETS; s++) {
    double vector[M], square = 0;

    for (gsize i = 0; i < M; i++) {
      vector[i] = fabs (assay_stream_normal (&stream));
      square += vector[i] * vector[i];
    }
    one[s] = vector[0] / sqrt (square);
    one_largest[s] = MAX (MAX (vector[0], vector[1]), MAX (vector[2], vector[3])) / sqrt (square);
  }
  cr_assert (sample_ks_two (largest, SECRETS, one_largest, SECRETS) < bound, "largest: %g",
             sample_ks_two (largest, SECRETS, one_largest, SECRETS));
  for (gsize i = 0; i < M; i++)
    cr_assert (sample_ks_two (by_row[i], SECRETS, one, SECRETS) < bound, "row %zu: %g", i,
               sample_ks_two (by_row[i], SECRETS, one, SECRETS));
}

/* ---- Seeds, threads, errors ---- */

static gboolean
is_same (const Lifted *a, const Lifted *b, gsize secrets)
{
  const gsize n = secrets * a->subspaces.cols, m = a->subspaces.dimension;

  return memcmp (a->subspaces.translation, b->subspaces.translation, n * sizeof (float)) == 0
         && memcmp (a->subspaces.basis, b->subspaces.basis, n * m * sizeof (float)) == 0;
}

Test (affine_lifting, a_secret_depends_on_seed_and_number_alone)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (60, 32, 1);
  g_autoptr (AssayRows) database = fixture_normal_rows (50, 32, 2);
  const AssayView view = assay_matrix_view (secrets);
  g_auto (Lifted) first = { 0 };
  g_auto (Lifted) other = { 0 };
  g_auto (Lifted) fewer = { 0 };

  assay_parallel_set_threads (1);
  cr_assert (lift ("", view, database, 1, &first, NULL));
  cr_assert (lift ("", view, database, 2, &other, NULL));
  cr_assert (lift ("", assay_view_rows (view, 0, 20), database, 1, &fewer, NULL));
  cr_assert (is_same (&first, &fewer, 20), "other secrets change a secret's subspace");
  for (gsize i = 0; i < 60 * 32; i++)
    cr_assert (first.subspaces.translation[i] != other.subspaces.translation[i], "number %zu", i);
  for (guint threads = 2; threads <= 5; threads++) {
    g_auto (Lifted) again = { 0 };

    assay_parallel_set_threads (threads);
    cr_assert (lift ("", view, database, 1, &again, NULL));
    cr_assert (is_same (&first, &again, 60), "%u threads", threads);
  }
}

static void
check_error (const char *assignments, AssayView secrets, AssayRows *database, gint code,
             const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;
  Lifted lifted;

  cr_assert (!lift (assignments, secrets, database, 1, &lifted, &error), "%s", message);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
}

Test (affine_lifting, errors)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (5, 8, 1);
  g_autoptr (AssayRows) database = fixture_normal_rows (20, 8, 2);
  g_autoptr (AssayRows) narrow = fixture_normal_rows (20, 7, 2);
  g_autoptr (AssayRows) empty = assay_rows_new (8);
  const AssayView view = assay_matrix_view (secrets);

  check_error ("dimension=3", view, database, ASSAY_ERROR_PARAMETER,
               "defense affine-lifting: dimension = 3: expected an even number, because variant = "
               "hybrid takes half of the directions from the database");
  check_error ("variant=sub-hybrid dimension=1", view, database, ASSAY_ERROR_PARAMETER,
               "defense affine-lifting: dimension = 1: expected an even number, because variant = "
               "sub-hybrid takes half of the directions from the database");
  check_error ("dimension=8", view, database, ASSAY_ERROR_PARAMETER,
               "defense affine-lifting: dimension = 8: expected less than 8, the dimension of the "
               "secrets");
  check_error ("variant=sub-hybrid dimension=4", view, database, ASSAY_ERROR_PARAMETER,
               "defense affine-lifting: dimension = 4 needs 2 distinct database rows a secret, but "
               "a sub-database has 1");
  check_error ("", view, narrow, ASSAY_ERROR_MISMATCH,
               "defense affine-lifting: expected a database of 8 columns, found 7");
  check_error ("", view, NULL, ASSAY_ERROR_MISMATCH,
               "defense affine-lifting: expected a database of 8 columns, found none");
  check_error ("", view, empty, ASSAY_ERROR_MISMATCH,
               "defense affine-lifting: expected a database of 8 columns, found one without rows");
  secrets->data[2 * 8 + 3] = NAN;
  check_error ("", view, database, ASSAY_ERROR_NUMERIC,
               "secrets: row 2, column 3 is not a finite number");
  memset (assay_matrix_row (secrets, 2), 0, 8 * sizeof (float));
  check_error ("", view, database, ASSAY_ERROR_DATA,
               "defense affine-lifting: secret 2 is all zeros and cannot be normalised");
}

/* A database that holds nothing but the secrets: no line goes through one point. Which of several
 * secrets the message names does not depend on threads. */
Test (affine_lifting, a_secret_that_is_the_database)
{
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (200, 8, NULL);
  g_autoptr (AssayMatrix) one = fixture_normal (1, 8, 1);
  g_autoptr (AssayRows) database = fixture_rows (one);

  for (gsize i = 0; i < 200; i++)
    for (gsize j = 0; j < 8; j++)
      assay_matrix_row (secrets, i)[j] = one->data[j] + (i < 3 ? (float) (j + i) : 0);
  for (guint threads = 1; threads <= 4; threads++) {
    assay_parallel_set_threads (threads);
    for (guint i = 0; i < 20; i++)
      check_error ("variant=adversarial dimension=1", assay_matrix_view (secrets), database,
                   ASSAY_ERROR_NUMERIC,
                   "defense affine-lifting: secret 3: row 0 of 1 depends linearly on those before "
                   "it");
  }
}

Test (affine_lifting, random_needs_no_database)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (5, 8, 1);
  g_auto (Lifted) without = { 0 };
  g_auto (Lifted) with = { 0 };
  g_autoptr (AssayRows) database = fixture_normal_rows (20, 8, 2);

  cr_assert (
      lift ("variant=random dimension=3", assay_matrix_view (secrets), NULL, 1, &without, NULL));
  cr_assert (
      lift ("variant=random dimension=3", assay_matrix_view (secrets), database, 1, &with, NULL));
  cr_assert (is_same (&without, &with, 5));
}
