#include "bench/descriptor-figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/math/linalg.h"

#define PANEL 1024    /* queries by rows of one matrix product */
#define PER_IMAGE 150 /* rows an image in the comparison within images */

void
descriptor_stop (const GError *error)
{
  fprintf (stderr, "descriptor-statistics: %s\n", error->message);
  exit (2);
}

/* At most @most of the rows, drawn at random and kept in order. */
AssayMatrix *
descriptor_draw (const AssayRows *rows, gsize most, AssayStream *stream)
{
  const gsize n = assay_rows_count (rows), count = MIN (n, most);
  g_autofree gsize *order = g_new (gsize, n);
  g_autofree guint8 *is_drawn = g_new0 (guint8, n);
  g_autofree gsize *index = g_new (gsize, count + 1);
  gsize next = 0;
  g_autoptr (GError) error = NULL;
  AssayMatrix *drawn = assay_matrix_new (count, assay_rows_cols (rows), &error);

  if (drawn == NULL)
    descriptor_stop (error);
  assay_stream_permutation (stream, n, order);
  for (gsize i = 0; i < count; i++)
    is_drawn[order[i]] = 1;
  for (gsize i = 0; i < n; i++)
    if (is_drawn[i])
      index[next++] = i;
  assay_rows_gather (rows, index, count, ASSAY_SCALE_NONE, drawn->data);
  return drawn;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Five quantiles of @values, which are sorted. */
static void
quantiles (double *values, gsize n, double *ret_five)
{
  const double at[5] = { 0.05, 0.25, 0.5, 0.75, 0.95 };

  qsort (values, n, sizeof *values, compare_doubles);
  for (gsize i = 0; i < 5; i++)
    ret_five[i] = n > 0 ? values[(gsize) (at[i] * (double) (n - 1) + 0.5)] : NAN;
}

static AssayMatrix *
unit_rows (const AssayMatrix *rows, gsize most, AssayStream *stream)
{
  g_autoptr (GError) error = NULL;
  AssayMatrix *copy = assay_matrix_copy (assay_matrix_view (rows), &error);
  g_autoptr (AssayRows) set = copy != NULL ? assay_rows_take_matrix (copy) : NULL;
  AssayMatrix *drawn = set != NULL ? descriptor_draw (set, most, stream) : NULL;

  if (drawn == NULL)
    descriptor_stop (error);
  for (gsize i = 0; i < drawn->rows; i++) {
    float *row = assay_matrix_row (drawn, i);
    double sum = 0;

    for (gsize j = 0; j < COLS; j++)
      sum += (double) row[j] * (double) row[j];
    for (gsize j = 0; j < COLS; j++)
      row[j] = sum > 0 ? (float) ((double) row[j] / sqrt (sum)) : 0.0f;
  }
  return drawn;
}

/* Keeps the two largest. */
static void
keep (float product, float *best)
{
  if (product > best[0]) {
    best[1] = best[0];
    best[0] = product;
  } else if (product > best[1])
    best[1] = product;
}

static double
to_distance (float product)
{
  return sqrt (MAX (0.0, 2.0 - 2.0 * (double) product));
}

/* Distances of (at most N_QUERIES) unit queries to their nearest row of @base, and nearest by
 * second nearest. @groups: rows count only within the query's own group, and the query itself does
 * not. */
static void
nearest (const AssayMatrix *queries, const AssayMatrix *base, const gint64 *query_groups,
         const gint64 *base_groups, GArray *ret_distances, double *ret_share_distinct)
{
  g_autofree float *best = g_new (float, 2 * queries->rows);
  g_autofree float *products = g_new (float, (gsize) PANEL *PANEL);
  gsize n_distinct = 0;

  for (gsize i = 0; i < 2 * queries->rows; i++)
    best[i] = -2.0f;
  for (gsize first = 0; first < queries->rows; first += PANEL)
    for (gsize start = 0; start < base->rows; start += PANEL) {
      const gsize n = MIN (PANEL, queries->rows - first), m = MIN (PANEL, base->rows - start);

      assay_linalg_product (ASSAY_NT, assay_view_of (queries->data + first * COLS, n, COLS),
                            assay_view_of (base->data + start * COLS, m, COLS), products, PANEL);
      for (gsize i = 0; i < n; i++)
        for (gsize j = 0; j < m; j++)
          if (query_groups == NULL || query_groups[first + i] == base_groups[start + j])
            keep (products[i * PANEL + j], best + 2 * (first + i));
    }
  for (gsize i = 0; i < queries->rows; i++) {
    /* Within a group the best is the query itself. */
    const double distance = to_distance (best[2 * i + (query_groups != NULL)]);

    n_distinct += query_groups == NULL && distance < 0.8 * to_distance (best[2 * i + 1]);
    g_array_append_val (ret_distances, distance);
  }
  *ret_share_distinct = (double) n_distinct / (double) queries->rows;
}

/* Eigenvalues of a symmetric matrix, rising, by cyclic Jacobi rotations; destroys it. */
static void
eigenvalues (double *a, gsize n, double *ret_values)
{
  for (guint sweep = 0; sweep < 30; sweep++) {
    double off = 0;

    for (gsize p = 0; p < n; p++)
      for (gsize q = p + 1; q < n; q++) {
        const double apq = a[p * n + q];
        const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
        const double t = copysign (1.0, theta) / (fabs (theta) + hypot (1.0, theta));
        const double c = 1.0 / hypot (1.0, t), s = t * c;

        if (apq == 0)
          continue;
        off += apq * apq;
        for (gsize k = 0; k < n; k++) {
          const double kp = a[k * n + p], kq = a[k * n + q];

          a[k * n + p] = c * kp - s * kq;
          a[k * n + q] = s * kp + c * kq;
        }
        for (gsize k = 0; k < n; k++) {
          const double pk = a[p * n + k], qk = a[q * n + k];

          a[p * n + k] = c * pk - s * qk;
          a[q * n + k] = s * pk + c * qk;
        }
      }
    if (off < 1e-18)
      break;
  }
  for (gsize k = 0; k < n; k++)
    ret_values[k] = a[k * n + k];
  qsort (ret_values, n, sizeof *ret_values, compare_doubles);
}

static void
figure_moments (const AssayMatrix *unit, DescriptorFigures *figures)
{
  g_autofree double *covariance = g_new0 (double, COLS *COLS);
  const double part[3] = { 0.5, 0.9, 0.95 };
  double spectrum[COLS], total = 0, sum = 0;

  for (gsize i = 0; i < unit->rows; i++)
    for (gsize j = 0; j < COLS; j++)
      figures->mean[j] += (double) unit->data[i * COLS + j] / (double) unit->rows;
  for (gsize i = 0; i < unit->rows; i++)
    for (gsize j = 0; j < COLS; j++)
      for (gsize k = 0; k < COLS; k++)
        covariance[j * COLS + k] += ((double) unit->data[i * COLS + j] - figures->mean[j])
                                    * ((double) unit->data[i * COLS + k] - figures->mean[k])
                                    / (double) unit->rows;
  for (gsize j = 0; j < COLS; j++)
    total += covariance[j * COLS + j];
  eigenvalues (covariance, COLS, spectrum);
  for (gsize k = 0; k < COLS; k++) {
    sum += spectrum[COLS - 1 - k];
    for (gsize i = 0; i < 3; i++)
      if (figures->dimensions[i] == 0 && sum >= part[i] * total)
        figures->dimensions[i] = k + 1;
  }
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, COLS * sizeof (float));
}

/* Zeros, exact duplicates, and the L1 norm of unit rows (sqrt (128) = 11.3 if all values are
 * equal). */
static void
figure_values (const AssayMatrix *rows, const AssayMatrix *unit, DescriptorFigures *figures)
{
  g_autofree float *sorted = g_memdup2 (rows->data, rows->rows * COLS * sizeof (float));
  g_autofree double *l1 = g_new0 (double, rows->rows);
  gsize zeros = 0, duplicates = 0;

  qsort (sorted, rows->rows, COLS * sizeof (float), compare_rows);
  for (gsize i = 0; i < rows->rows; i++) {
    duplicates += i > 0 && compare_rows (sorted + (i - 1) * COLS, sorted + i * COLS) == 0;
    for (gsize j = 0; j < COLS; j++) {
      zeros += rows->data[i * COLS + j] <= 0;
      l1[i] += (double) unit->data[i * COLS + j];
    }
  }
  figures->zeros = (double) zeros / (double) (rows->rows * COLS);
  figures->duplicates = (double) duplicates / (double) rows->rows;
  quantiles (l1, rows->rows, figures->l1);
}

static void
nearest_figures (const AssayMatrix *queries, const AssayMatrix *rows, AssayStream *stream,
                 double *ret_five, double *ret_share_distinct)
{
  g_autoptr (AssayMatrix) base = unit_rows (rows, G_MAXSIZE, stream);
  g_autoptr (GArray) distances = g_array_new (FALSE, FALSE, sizeof (double));

  nearest (queries, base, NULL, NULL, distances, ret_share_distinct);
  quantiles ((double *) (gpointer) distances->data, distances->len, ret_five);
}

/* The nearest other row of the same image, of PER_IMAGE rows an image. */
static void
figure_within_images (const DescriptorSample *sample, AssayStream *stream, double *ret_five)
{
  g_autoptr (AssayMatrix) unit = unit_rows (sample->secrets, G_MAXSIZE, stream);
  g_autoptr (GArray) distances = g_array_new (FALSE, FALSE, sizeof (double));
  gsize first = 0;

  while (first < unit->rows) {
    gsize end = first + 1;
    g_autoptr (AssayMatrix) image = NULL, drawn = NULL;
    g_autofree gint64 *zeros = NULL;
    double unused;

    while (end < unit->rows && sample->groups[end] == sample->groups[first])
      end++;
    image
        = assay_matrix_copy (assay_view_rows (assay_matrix_view (unit), first, end - first), NULL);
    drawn = unit_rows (image, PER_IMAGE, stream);
    zeros = g_new0 (gint64, drawn->rows);
    if (drawn->rows > 1)
      nearest (drawn, drawn, zeros, zeros, distances, &unused);
    first = end;
  }
  quantiles ((double *) (gpointer) distances->data, distances->len, ret_five);
}

DescriptorFigures
descriptor_figures_of (const DescriptorSample *sample, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "statistics", "figures"), 0);
  g_autoptr (AssayMatrix) unit = unit_rows (sample->secrets, G_MAXSIZE, &stream);
  g_autoptr (AssayMatrix) queries = unit_rows (sample->secrets, N_QUERIES, &stream);
  g_autofree double *pairs = g_new (double, N_QUERIES);
  g_autoptr (AssayMatrix) database = unit_rows (sample->database, N_QUERIES, &stream);
  const gsize n_pairs = MIN (queries->rows, database->rows);
  DescriptorFigures figures = { 0 };

  nearest_figures (queries, sample->database, &stream, figures.to_database,
                   &figures.distinct_database);
  nearest_figures (queries, sample->public_rows, &stream, figures.to_public,
                   &figures.distinct_public);
  figure_within_images (sample, &stream, figures.within_image);
  for (gsize i = 0; i < n_pairs; i++) {
    double product = 0;

    for (gsize j = 0; j < COLS; j++)
      product += (double) queries->data[i * COLS + j] * (double) database->data[i * COLS + j];
    pairs[i] = to_distance ((float) product);
  }
  quantiles (pairs, n_pairs, figures.random_pairs);
  figure_moments (unit, &figures);
  figure_values (sample->secrets, unit, &figures);
  quantiles (sample->per_image, sample->n_images, figures.keypoints);
  return figures;
}
