/* paired-lsh, paired-sh and cmfh: what their functions are, against the papers written down again;
 * keys; and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/codes.h"
#include "core/data/kinds/paired-codes.h"
#include "core/learn/standard.h"
#include "core/plugin/registry.h"
#include "defenses/pairs/paired-release.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-hashing.h"
#include "tests/unit/assert-near.h"

enum { N = 60, FIRST = 6, COLS = 10, SECOND = COLS - FIRST };

/* Columns of both modalities share three numbers, and have means and scales of their own. */
static AssayMatrix *
make_items (void)
{
  AssayMatrix *items = fixture_normal (N, COLS, 3);

  for (gsize i = 0; i < N; i++)
    for (gsize j = 0; j < COLS; j++) {
      float *value = assay_matrix_row (items, i) + j;

      *value += 2 * (float) sin ((double) (i * (j % 3 + 1)));
      *value = *value * (float) (1 + j) + (float) j;
    }
  return items;
}

static AssayView
side_of (const AssayMatrix *items, guint side)
{
  return (AssayView){ items->rows, side == 0 ? FIRST : SECOND, COLS,
                      items->data + (side == 0 ? 0 : FIRST) };
}

static AssayRelease *
protect (const char *id, const char *assignments, AssayView items, gsize first_cols,
         const AssayRelease *key, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
  const AssayDefense *defense = (const AssayDefense *) plugin;
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayRelease) release = assay_release_new (defense->produces, id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (4, 0, "release", ""),
                                        .common_stream = assay_stream_key (4, 0, "common", ""),
                                        .first_cols = first_cols,
                                        .key_of = key };

  if (!defense->protect (&context, items, release, truth, error))
    return NULL;
  cr_assert (assay_release_check (release, NULL));
  return g_steal_pointer (&release);
}

static const guint8 *
codes_of (const AssayRelease *release, guint side)
{
  return assay_arrays_get (&release->arrays, assay_paired_codes[side])->data;
}

/* ---- LSH ---- */

static double
angle_of (const float *x, const float *y, gsize d)
{
  double xx = 0, yy = 0, xy = 0;

  for (gsize j = 0; j < d; j++) {
    xx += (double) x[j] * (double) x[j];
    yy += (double) y[j] * (double) y[j];
    xy += (double) x[j] * (double) y[j];
  }
  return acos (xy / sqrt (xx * yy));
}

/* Two items at the angle t differ in a bit with probability t / pi; those of two modalities in half
 * of the bits, as their functions have nothing to do with each other. */
Test (paired_lsh, bits_differ_by_angles)
{
  enum { BITS = 1024 };
  g_autoptr (AssayMatrix) items = make_items ();
  g_autoptr (AssayRelease) release
      = protect ("paired-lsh", "bits=1024", assay_matrix_view (items), FIRST, NULL, NULL);
  double across = 0;

  for (guint side = 0; side < 2; side++) {
    g_autoptr (AssayStandard) scale = assay_standard_new (side_of (items, side), NULL);
    g_autoptr (AssayMatrix) rows = assay_standard_apply (scale, side_of (items, side), NULL);
    const guint8 *codes = codes_of (release, side);

    for (gsize i = 1; i < N; i++) {
      const double p = angle_of (rows->data, assay_matrix_row (rows, i), rows->cols) / G_PI;
      double differing = 0;

      for (gsize b = 0; b < BITS; b++)
        differing += assay_code_bit (codes, b) != assay_code_bit (codes + i * (BITS / 8), b);
      assert_near (differing / BITS, p, 5 * sqrt (p * (1 - p) / BITS) + 1e-3, "side %d, item %d",
                   (int) side, (int) i);
    }
  }
  for (gsize i = 0; i < N; i++)
    for (gsize b = 0; b < BITS; b++)
      across += assay_code_bit (codes_of (release, 0) + i * (BITS / 8), b)
                != assay_code_bit (codes_of (release, 1) + i * (BITS / 8), b);
  assert_near (across / (N * BITS), 0.5, 0.03, "across modalities");
}

/* ---- SH ---- */

/* With one column the bits are whole waves of up to 12 half waves. */
static void
check_waves (gsize first, gsize second, gsize bits)
{
  g_autoptr (AssayMatrix) items = fixture_normal (N, first + second, 5);
  g_autofree char *assignments = g_strdup_printf ("bits=%d", (int) bits);
  g_autoptr (AssayRelease) release
      = protect ("paired-sh", assignments, assay_matrix_view (items), first, NULL, NULL);

  for (guint side = 0; side < 2; side++) {
    const AssayView view
        = { N, side == 0 ? first : second, first + second, items->data + (side == 0 ? 0 : first) };
    g_autoptr (AssayStandard) scale = assay_standard_new (view, NULL);
    g_autoptr (AssayMatrix) rows = assay_standard_apply (scale, view, NULL);
    g_autofree double *margins = naive_spectral_margins (assay_matrix_view (rows), bits);
    const guint8 *codes = codes_of (release, side);

    for (gsize i = 0; i < N; i++)
      for (gsize b = 0; b < bits; b++)
        if (fabs (margins[i * bits + b]) > 1e-4)
          cr_assert_eq (assay_code_bit (codes + i * assay_code_bytes (bits), b),
                        margins[i * bits + b] > 0, "%zu columns, item %zu, bit %zu: %g", view.cols,
                        i, b, margins[i * bits + b]);
  }
}

Test (paired_sh, bits_are_those_of_the_cosines)
{
  check_waves (4, 3, 3);
  check_waves (5, 2, 12);
  check_waves (1, 1, 12);
}

/* Along one column the range is that of the items; a query within once more of the range on either
 * side has the bits of the cosines too, and beyond the wave is level. */
Test (paired_sh, waves_go_on_beyond_the_range)
{
  enum { BITS = 7, QUERIES = 400 };
  g_autoptr (AssayMatrix) items = fixture_normal (N, 2, 5), queries = NULL;
  g_autoptr (AssayRelease) release
      = protect ("paired-sh", "bits=7", assay_matrix_view (items), 1, NULL, NULL);
  g_autoptr (AssayArray) codes = NULL;
  double low = INFINITY, high = -INFINITY;

  for (gsize i = 0; i < N; i++) {
    low = fmin (low, (double) items->data[2 * i]);
    high = fmax (high, (double) items->data[2 * i]);
  }
  queries = assay_matrix_new (QUERIES, 1, NULL);
  for (gsize q = 0; q < QUERIES; q++)
    queries->data[q] = (float) (low + (high - low) * (-0.999 + 2.998 * (double) q / (QUERIES - 1)));
  codes = assay_paired_hash (release, ASSAY_PAIRED_IMAGE, assay_matrix_view (queries), NULL);
  for (gsize q = 0; q < QUERIES; q++)
    for (gsize b = 0; b < BITS; b++) {
      const double t = ((double) queries->data[q] - low) / (high - low);
      const double wave = cos ((double) (b + 1) * G_PI * t);

      if (fabs (wave) > 1e-3)
        cr_assert_eq (assay_code_bit ((const guint8 *) codes->data + q, b), wave > 0, "%g, bit %zu",
                      t, b);
    }
}

/* ---- CMFH ---- */

/* Solves A X = B by elimination (@n x @n and @n x @m); B becomes X. */
static void
eliminate (double *a, double *b, gsize n, gsize m)
{
  for (gsize p = 0; p < n; p++)
    for (gsize i = 0; i < n; i++) {
      const double factor = i == p ? 0 : a[i * n + p] / a[p * n + p];

      for (gsize j = 0; j < n; j++)
        a[i * n + j] -= factor * a[p * n + j];
      for (gsize j = 0; j < m; j++)
        b[i * m + j] -= factor * b[p * m + j];
    }
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < m; j++)
      b[i * m + j] /= a[i * n + i];
}

enum { BITS = 3, TURNS = 4 };
static const gsize widths[] = { FIRST, SECOND };

/* X' of a side: N x d. */
static double (*standard_rows (const AssayMatrix *items, guint side))[FIRST]
{
  double (*rows)[FIRST] = g_malloc0 (N * sizeof *rows);
  const AssayView view = side_of (items, side);

  for (gsize j = 0; j < view.cols; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < N; i++)
      mean += (double) assay_view_row (view, i)[j] / N;
    for (gsize i = 0; i < N; i++)
      square += pow ((double) assay_view_row (view, i)[j] - mean, 2) / N;
    for (gsize i = 0; i < N; i++)
      rows[i][j] = ((double) assay_view_row (view, i)[j] - mean) / sqrt (square);
  }
  return rows;
}

typedef struct {
  double (*x[2])[FIRST];
  double v[N][BITS], u[2][FIRST][BITS], p[2][FIRST][BITS];
} Naive;

static void
naive_function (Naive *naive, guint s)
{
  const gsize d = widths[s];
  double left[FIRST * FIRST] = { 0 }, right[FIRST * BITS] = { 0 };

  for (gsize j = 0; j < d; j++)
    for (gsize i = 0; i < N; i++) {
      for (gsize k = 0; k < d; k++)
        left[j * d + k] += naive->x[s][i][j] * naive->x[s][i][k];
      for (gsize l = 0; l < BITS; l++)
        right[j * BITS + l] += naive->x[s][i][j] * naive->v[i][l];
    }
  for (gsize j = 0; j < d; j++)
    left[j * d + j] += 0.01 / 100;
  eliminate (left, right, d, BITS);
  memcpy (naive->p[s], right, d * BITS * sizeof (double));
}

static void
naive_basis (Naive *naive, guint s)
{
  const gsize d = widths[s];
  double left[BITS * BITS] = { 0 }, right[BITS * FIRST] = { 0 };

  for (gsize l = 0; l < BITS; l++)
    for (gsize i = 0; i < N; i++) {
      for (gsize m = 0; m < BITS; m++)
        left[l * BITS + m] += naive->v[i][l] * naive->v[i][m];
      for (gsize j = 0; j < d; j++)
        right[l * d + j] += naive->v[i][l] * naive->x[s][i][j];
    }
  for (gsize l = 0; l < BITS; l++)
    left[l * BITS + l] += 0.01 / 0.5;
  eliminate (left, right, BITS, d);
  for (gsize j = 0; j < d; j++)
    for (gsize l = 0; l < BITS; l++)
      naive->u[s][j][l] = right[l * d + j];
}

static void
naive_shared (Naive *naive, gsize item)
{
  double left[BITS * BITS] = { 0 }, right[BITS] = { 0 };

  for (gsize l = 0; l < BITS; l++) {
    left[l * BITS + l] = 2 * 100 + 0.01;
    for (guint s = 0; s < 2; s++)
      for (gsize j = 0; j < widths[s]; j++) {
        right[l] += (0.5 * naive->u[s][j][l] + 100 * naive->p[s][j][l]) * naive->x[s][item][j];
        for (gsize m = 0; m < BITS; m++)
          left[l * BITS + m] += 0.5 * naive->u[s][j][l] * naive->u[s][j][m];
      }
  }
  eliminate (left, right, BITS, 1);
  memcpy (naive->v[item], right, sizeof right);
}

/* From the same start, which is drawn bit by bit. */
static void
naive_factorise (Naive *naive)
{
  AssayStream stream = assay_stream (assay_stream_key (4, 0, "common", ""), G_MAXUINT64);

  for (gsize l = 0; l < BITS; l++)
    for (gsize i = 0; i < N; i++)
      naive->v[i][l] = assay_stream_normal (&stream);
  for (guint turn = 0; turn < TURNS; turn++) {
    for (guint s = 0; s < 2; s++) {
      naive_basis (naive, s);
      naive_function (naive, s);
    }
    for (gsize i = 0; i < N; i++)
      naive_shared (naive, i);
  }
  naive_function (naive, 0);
  naive_function (naive, 1);
}

Test (cmfh, functions_are_least_squares_by_turns)
{
  g_autoptr (AssayMatrix) items = make_items ();
  g_autoptr (AssayRelease) release
      = protect ("cmfh", "bits=3 iterations=4", assay_matrix_view (items), FIRST, NULL, NULL);
  Naive naive = { .x = { standard_rows (items, 0), standard_rows (items, 1) } };

  naive_factorise (&naive);
  for (guint s = 0; s < 2; s++) {
    const AssayView layer
        = assay_array_view (assay_arrays_get (&release->arrays, assay_paired_layer_1[s]));
    g_autoptr (AssayStandard) scale = assay_standard_new (side_of (items, s), NULL);

    cr_assert_eq (layer.rows, BITS);
    for (gsize l = 0; l < BITS; l++)
      for (gsize j = 0; j < widths[s]; j++)
        assert_near ((double) assay_view_row (layer, l)[j], naive.p[s][j][l] * scale->factor[j],
                     2e-6 * (1 + fabs (naive.p[s][j][l])), "side %d, bit %d, column %d", (int) s,
                     (int) l, (int) j);
    for (gsize i = 0; i < N; i++)
      for (gsize l = 0; l < BITS; l++) {
        double sum = 0;

        for (gsize j = 0; j < widths[s]; j++)
          sum += naive.p[s][j][l] * naive.x[s][i][j];
        if (fabs (sum) > 1e-4)
          cr_assert_eq (assay_code_bit (codes_of (release, s) + i, l), sum > 0);
      }
    g_free (naive.x[s]);
  }
}

/* ---- All of them ---- */

static const char *const defenses[] = { "paired-lsh", "paired-sh", "cmfh", "cca-itq" };

/* Items of another release are hashed by the functions that are its key. */
Test (paired_baselines, keys_give_the_functions)
{
  g_autoptr (AssayMatrix) items = make_items (), others = fixture_normal (9, COLS, 8);

  for (guint k = 0; k < G_N_ELEMENTS (defenses); k++) {
    g_autoptr (AssayRelease) release
        = protect (defenses[k], "bits=5", assay_matrix_view (items), FIRST, NULL, NULL);
    g_autoptr (AssayRelease) again
        = protect (defenses[k], "bits=5", assay_matrix_view (others), FIRST, release, NULL);

    for (guint s = 0; s < 2; s++) {
      g_autoptr (AssayArray) codes = assay_paired_hash (release, s, side_of (others, s), NULL);
      const char *const layers[] = { assay_paired_layer_1[s], assay_paired_layer_2[s] };

      cr_assert (memcmp (codes->data, codes_of (again, s), 9) == 0, "%s", defenses[k]);
      for (guint l = 0; l < 2; l++) {
        const AssayArray *mine = assay_arrays_get (&release->arrays, layers[l]);
        const AssayArray *its = assay_arrays_get (&again->arrays, layers[l]);

        cr_assert_eq (mine == NULL, its == NULL);
        if (mine != NULL)
          cr_assert (memcmp (mine->data, its->data, mine->shape[0] * mine->shape[1] * 4) == 0);
      }
    }
  }
}

/* One modality; one item; and modalities in which nothing varies. */
Test (paired_baselines, refusals)
{
  g_autoptr (AssayMatrix) items = make_items (), flat = assay_matrix_new (N, COLS, NULL);
  AssayView one = assay_matrix_view (items);

  one.rows = 1;
  for (guint k = 0; k < G_N_ELEMENTS (defenses); k++) {
    g_autoptr (GError) first = NULL, second = NULL, third = NULL;
    g_autoptr (AssayRelease) release = NULL;

    cr_assert_null (protect (defenses[k], "", assay_matrix_view (items), 0, NULL, &first));
    cr_assert (strstr (first->message, "expected a dataset with rows of two modalities"), "%s",
               first->message);
    cr_assert_null (protect (defenses[k], "", one, FIRST, NULL, &second));
    cr_assert (strstr (second->message, "cannot be learned from 1 rows; expected 2 at least"), "%s",
               second->message);
    release = protect (defenses[k], "", assay_matrix_view (flat), FIRST, NULL, &third);
    if (k < 2)
      cr_assert (release == NULL && strstr (third->message, "images: "), "%s", defenses[k]);
  }
}
