/* Do the descriptors of the dataset `scenes` behave like those of photographs?
 *
 *   descriptor-statistics [--data FOLDER] [--seed N] [SETTING=VALUE]...
 *
 * prints the same figures for both, side by side: generated rows from `scenes` with its defaults
 * or the settings given, and rows of sift/sift_private_queries.bvecs (secrets) and
 * sift/sift_places_public.bvecs (database: its first 90,000 rows, public: the others), reduced at
 * random to as many as were generated, because a nearest neighbour is the nearer the more rows
 * there are. Distances are between rows of unit norm. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/parallel.h"
#include "core/data/csv-column.h"
#include "core/data/row-file.h"
#include "core/math/linalg.h"
#include "core/plugin/plugin.h"
#include "datasets/photographs/sift.h"

#define COLS ASSAY_SIFT_LENGTH
#define N_QUERIES 2000
#define PANEL 1024 /* queries by rows of one matrix product */
#define PER_IMAGE 150 /* rows an image in the comparison within images */

extern const AssayDatasetPlugin assay_dataset_scenes;

/* Rows of both kinds, as bytes' values, and which secrets share an image. */
typedef struct {
  AssayMatrix *secrets;
  AssayMatrix *public_rows;
  AssayMatrix *database;
  gint64 *groups;
  double *per_image; /* keypoints of every image, for each 1,000 pixels */
  gsize n_images;
} Sample;

static void
stop (const GError *error)
{
  fprintf (stderr, "descriptor-statistics: %s\n", error->message);
  exit (2);
}

/* ---- Reading ---- */

/* At most @most of the rows, drawn at random and kept in order. */
static AssayMatrix *
draw_rows (const AssayRows *rows, gsize most, AssayStream *stream)
{
  const gsize n = assay_rows_count (rows), count = MIN (n, most);
  g_autofree gsize *order = g_new (gsize, n);
  g_autofree guint8 *is_drawn = g_new0 (guint8, n);
  g_autofree gsize *index = g_new (gsize, count + 1);
  gsize next = 0;
  g_autoptr (GError) error = NULL;
  AssayMatrix *drawn = assay_matrix_new (count, assay_rows_cols (rows), &error);

  if (drawn == NULL)
    stop (error);
  assay_stream_permutation (stream, n, order);
  for (gsize i = 0; i < count; i++)
    is_drawn[order[i]] = 1;
  for (gsize i = 0; i < n; i++)
    if (is_drawn[i])
      index[next++] = i;
  assay_rows_gather (rows, index, count, ASSAY_SCALE_NONE, drawn->data);
  return drawn;
}

static void
open_scenes (AssaySettings *settings, guint64 seed, AssayDataset *ret_dataset)
{
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (seed, 0, "data", "scenes") };
  g_autoptr (GError) error = NULL;

  if (!assay_dataset_scenes.open (&context, ret_dataset, &error))
    stop (error);
}

static double
setting (const AssaySettings *settings, const char *name)
{
  for (const AssayParam *param = settings->table; param->name != NULL; param++)
    if (strcmp (param->name, name) == 0) {
      g_autofree char *text = assay_settings_get (settings, param);

      return g_ascii_strtod (text, NULL);
    }
  g_assert_not_reached ();
}

static Sample
sample_scenes (AssaySettings *settings, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "statistics", "scenes"), 0);
  g_autoptr (GTimer) timer = g_timer_new ();
  const double pixels = setting (settings, "width") * setting (settings, "height");
  AssayDataset dataset = { 0 };
  Sample sample = { 0 };

  open_scenes (settings, seed, &dataset);
  printf ("scenes: %zu secrets, %zu public, %zu database rows; %.1f s, %.1f s of processor time, "
          "%u threads; sha256 %.16s\n",
          assay_rows_count (dataset.secrets), assay_rows_count (dataset.public_rows),
          assay_rows_count (dataset.database), g_timer_elapsed (timer, NULL),
          (double) clock () / CLOCKS_PER_SEC, assay_parallel_threads (), dataset.sha256);
  sample.secrets = draw_rows (dataset.secrets, G_MAXSIZE, &stream);
  sample.public_rows = draw_rows (dataset.public_rows, G_MAXSIZE, &stream);
  sample.database = draw_rows (dataset.database, G_MAXSIZE, &stream);
  sample.groups = g_memdup2 (dataset.groups, sample.secrets->rows * sizeof (gint64));
  assay_dataset_clear (&dataset);

  /* Once more without the limit, to count. */
  assay_settings_set (settings, "per_image", "10000", NULL);
  assay_settings_set (settings, "public_images", "0", NULL);
  assay_settings_set (settings, "database_images", "0", NULL);
  open_scenes (settings, seed, &dataset);
  sample.n_images = dataset.n_groups;
  sample.per_image = g_new0 (double, sample.n_images);
  for (gsize i = 0; i < assay_rows_count (dataset.secrets); i++)
    sample.per_image[dataset.groups[i]] += 1000.0 / pixels;
  assay_dataset_clear (&dataset);
  return sample;
}

static AssayRowFiles *
open_rows (const char *folder, const char *specification)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (GError) error = NULL;
  AssayRowFiles *files = assay_row_files_open (specification, folders, &error);

  if (files == NULL)
    stop (error);
  return files;
}

/* Keypoints for each 1,000 pixels of the photographs in photos/imagenet60/@name, appended. */
static void
count_keypoints (const char *folder, const char *name, GArray *counts)
{
  g_autofree char *path = g_build_filename (folder, "photos", "imagenet60", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) files = g_dir_open (path, 0, &error);
  const char *file;

  if (files == NULL)
    stop (error);
  while ((file = g_dir_read_name (files)) != NULL) {
    g_autofree char *full = g_build_filename (path, file, NULL);
    g_autoptr (AssayPhoto) photo = assay_photo_load (full, &error);
    g_autoptr (AssayPhoto) grey = photo != NULL ? assay_photo_grey (photo, &error) : NULL;
    g_autoptr (AssaySift) sift
        = grey != NULL ? assay_sift_new (grey->width, grey->height, &error) : NULL;
    g_autoptr (GArray) keypoints = sift != NULL ? assay_sift_detect (sift, grey, &error) : NULL;
    double count;

    if (keypoints == NULL)
      stop (error);
    count = 1000.0 * keypoints->len / (double) (grey->width * grey->height);
    g_array_append_val (counts, count);
  }
}

static Sample
sample_photographs (const char *folder, const Sample *like, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "statistics", "photographs"), 0);
  g_autoptr (AssayRowFiles) secrets = open_rows (folder, "sift/sift_private_queries.bvecs");
  g_autoptr (AssayRowFiles) database
      = open_rows (folder, "sift/sift_places_public.bvecs[:90000]");
  g_autoptr (AssayRowFiles) others = open_rows (folder, "sift/sift_places_public.bvecs[90000:]");
  g_autofree char *csv
      = g_build_filename (folder, "sift", "sift_private_queries_keypoints.csv", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayCsvColumn) photos
      = assay_csv_column_read (csv, "photo", assay_rows_count (secrets->rows), &error);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (double));
  Sample sample = { 0 };

  if (photos == NULL)
    stop (error);
  sample.secrets = draw_rows (secrets->rows, G_MAXSIZE, &stream);
  sample.database = draw_rows (database->rows, like->database->rows, &stream);
  sample.public_rows = draw_rows (others->rows, like->public_rows->rows, &stream);
  sample.groups = g_memdup2 (photos->groups, photos->n_rows * sizeof (gint64));
  count_keypoints (folder, "private10", counts);
  count_keypoints (folder, "scenes50", counts);
  sample.n_images = counts->len;
  sample.per_image = (double *) (gpointer) g_array_free (g_steal_pointer (&counts), FALSE);
  return sample;
}

/* ---- Figures ---- */

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
  AssayMatrix *drawn = set != NULL ? draw_rows (set, most, stream) : NULL;

  if (drawn == NULL)
    stop (error);
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
  g_autofree float *products = g_new (float, (gsize) PANEL * PANEL);
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

typedef struct {
  double to_database[5], to_public[5], within_image[5], random_pairs[5], keypoints[5], l1[5];
  double distinct_database, distinct_public;
  double mean[COLS];
  gsize dimensions[3]; /* for 50, 90 and 95 % of the variance */
  double zeros, duplicates;
} Figures;

static void
figure_moments (const AssayMatrix *unit, Figures *figures)
{
  g_autofree double *covariance = g_new0 (double, COLS * COLS);
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
figure_values (const AssayMatrix *rows, const AssayMatrix *unit, Figures *figures)
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
figure_within_images (const Sample *sample, AssayStream *stream, double *ret_five)
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
    image = assay_matrix_copy (assay_view_rows (assay_matrix_view (unit), first, end - first),
                               NULL);
    drawn = unit_rows (image, PER_IMAGE, stream);
    zeros = g_new0 (gint64, drawn->rows);
    if (drawn->rows > 1)
      nearest (drawn, drawn, zeros, zeros, distances, &unused);
    first = end;
  }
  quantiles ((double *) (gpointer) distances->data, distances->len, ret_five);
}

static Figures
figure (const Sample *sample, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "statistics", "figures"), 0);
  g_autoptr (AssayMatrix) unit = unit_rows (sample->secrets, G_MAXSIZE, &stream);
  g_autoptr (AssayMatrix) queries = unit_rows (sample->secrets, N_QUERIES, &stream);
  g_autofree double *pairs = g_new (double, N_QUERIES);
  g_autoptr (AssayMatrix) database = unit_rows (sample->database, N_QUERIES, &stream);
  const gsize n_pairs = MIN (queries->rows, database->rows);
  Figures figures = { 0 };

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

/* ---- Printing ---- */

static void
print_five (const char *label, const double *photographs, const double *scenes)
{
  printf ("%-34s", label);
  for (gsize i = 0; i < 5; i++)
    printf (" %5.3f", photographs[i]);
  printf (" |");
  for (gsize i = 0; i < 5; i++)
    printf (" %5.3f", scenes[i]);
  printf ("\n");
}

static void
print_one (const char *label, double photographs, double scenes)
{
  printf ("%-34s %29.3f | %29.3f\n", label, photographs, scenes);
}

static double
correlation (const double *a, const double *b)
{
  double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;

  for (gsize j = 0; j < COLS; j++) {
    ma += a[j] / COLS;
    mb += b[j] / COLS;
  }
  for (gsize j = 0; j < COLS; j++) {
    aa += (a[j] - ma) * (a[j] - ma);
    bb += (b[j] - mb) * (b[j] - mb);
    ab += (a[j] - ma) * (b[j] - mb);
  }
  return ab / sqrt (aa * bb);
}

/* Means over the cells, for each of the 8 directions; over the directions, for each of the cells
 * 0 (a corner), 1 (an edge) and 5 (the middle). */
static void
print_profile (const double *mean, const char *whose)
{
  printf ("%-11s directions", whose);
  for (gsize k = 0; k < 8; k++) {
    double sum = 0;

    for (gsize cell = 0; cell < 16; cell++)
      sum += mean[cell * 8 + k] / 16;
    printf (" %.4f", sum);
  }
  printf ("; cells");
  for (gsize cell = 0; cell < 6; cell += cell == 0 ? 1 : 4) {
    double sum = 0;

    for (gsize k = 0; k < 8; k++)
      sum += mean[cell * 8 + k] / 8;
    printf (" %.4f", sum);
  }
  printf ("\n");
}

static void
print (const Figures *p, const Figures *s)
{
  double apart = 0;

  printf ("%-34s %29s | %29s\n", "5 %, 25 %, 50 %, 75 %, 95 %", "photographs", "scenes");
  print_five ("nearest in database", p->to_database, s->to_database);
  print_five ("nearest in public", p->to_public, s->to_public);
  print_five ("nearest in own image (150 rows)", p->within_image, s->within_image);
  print_five ("random pair", p->random_pairs, s->random_pairs);
  print_five ("keypoints per 1,000 pixels", p->keypoints, s->keypoints);
  print_five ("L1 norm", p->l1, s->l1);
  print_one ("nearest < 0.8 second (database)", p->distinct_database, s->distinct_database);
  print_one ("nearest < 0.8 second (public)", p->distinct_public, s->distinct_public);
  print_one ("dimensions, 50 % of variance", (double) p->dimensions[0], (double) s->dimensions[0]);
  print_one ("dimensions, 90 %", (double) p->dimensions[1], (double) s->dimensions[1]);
  print_one ("dimensions, 95 %", (double) p->dimensions[2], (double) s->dimensions[2]);
  print_one ("zeros", p->zeros, s->zeros);
  print_one ("exact duplicates", p->duplicates, s->duplicates);
  for (gsize j = 0; j < COLS; j++)
    apart = MAX (apart, fabs (p->mean[j] - s->mean[j]));
  printf ("means by dimension: correlation %.3f, largest difference %.4f\n",
          correlation (p->mean, s->mean), apart);
  print_profile (p->mean, "photographs");
  print_profile (s->mean, "scenes");
}

static void
clear_sample (Sample *sample)
{
  assay_matrix_free (sample->secrets);
  assay_matrix_free (sample->public_rows);
  assay_matrix_free (sample->database);
  g_free (sample->groups);
  g_free (sample->per_image);
}

int
main (int argc, char **argv)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (assay_dataset_scenes.parameters, assay_dataset_scenes.settings_size);
  const char *folder = g_getenv ("ASSAY_DATA");
  guint64 seed = 7;
  g_autoptr (GError) error = NULL;
  Sample scenes, photographs;
  Figures generated, real;

  for (int i = 1; i < argc; i++) {
    g_auto (GStrv) pair = g_strsplit (argv[i], "=", 2);

    if (strcmp (argv[i], "--data") == 0 && i + 1 < argc)
      folder = argv[++i];
    else if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      seed = g_ascii_strtoull (argv[++i], NULL, 10);
    else if (pair[0] == NULL || pair[1] == NULL) {
      fprintf (stderr, "usage: descriptor-statistics [--data FOLDER] [--seed N] "
                       "[SETTING=VALUE]...\n");
      return 2;
    } else if (!assay_settings_set (settings, pair[0], pair[1], &error))
      stop (error);
  }
  scenes = sample_scenes (settings, seed);
  photographs = sample_photographs (folder != NULL ? folder : "../shared/data", &scenes, seed);
  printf ("photographs: %zu secrets, %zu public, %zu database rows; seed %" G_GUINT64_FORMAT
          "; %d queries\n\n",
          photographs.secrets->rows, photographs.public_rows->rows, photographs.database->rows,
          seed, N_QUERIES);
  real = figure (&photographs, seed);
  generated = figure (&scenes, seed);
  print (&real, &generated);
  clear_sample (&scenes);
  clear_sample (&photographs);
  return 0;
}
