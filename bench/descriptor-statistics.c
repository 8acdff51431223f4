/* Do the descriptors of the dataset `scenes` behave like those of photographs?
 *
 *   descriptor-statistics --data FOLDER [--seed N] [SETTING=VALUE]...
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

#include "bench/descriptor-figures.h"
#include "core/base/parallel.h"
#include "core/data/formats/csv-column.h"
#include "core/data/row-file.h"
#include "core/plugin/plugin.h"

extern const AssayDatasetPlugin assay_dataset_scenes;

/* ---- Reading ---- */

static void
open_scenes (AssaySettings *settings, guint64 seed, AssayDataset *ret_dataset)
{
  const AssayDatasetContext context
      = { .settings = settings->values, .stream = assay_stream_key (seed, 0, "data", "scenes") };
  g_autoptr (GError) error = NULL;

  if (!assay_dataset_scenes.open (&context, ret_dataset, &error))
    descriptor_stop (error);
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

static DescriptorSample
sample_scenes (AssaySettings *settings, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "statistics", "scenes"), 0);
  g_autoptr (GTimer) timer = g_timer_new ();
  const double pixels = setting (settings, "width") * setting (settings, "height");
  AssayDataset dataset = { 0 };
  DescriptorSample sample = { 0 };

  open_scenes (settings, seed, &dataset);
  printf ("scenes: %zu secrets, %zu public, %zu database rows; %.1f s, %.1f s of processor time, "
          "%u threads; sha256 %.16s\n",
          assay_rows_count (dataset.secrets), assay_rows_count (dataset.public_rows),
          assay_rows_count (dataset.database), g_timer_elapsed (timer, NULL),
          (double) clock () / CLOCKS_PER_SEC, assay_parallel_threads (), dataset.sha256);
  sample.secrets = descriptor_draw (dataset.secrets, G_MAXSIZE, &stream);
  sample.public_rows = descriptor_draw (dataset.public_rows, G_MAXSIZE, &stream);
  sample.database = descriptor_draw (dataset.database, G_MAXSIZE, &stream);
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
    descriptor_stop (error);
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
    descriptor_stop (error);
  while ((file = g_dir_read_name (files)) != NULL) {
    g_autofree char *full = g_build_filename (path, file, NULL);
    g_autoptr (AssayPhoto) photo = assay_photo_load (full, &error);
    g_autoptr (AssayPhoto) grey = photo != NULL ? assay_photo_grey (photo, &error) : NULL;
    g_autoptr (AssaySift) sift
        = grey != NULL ? assay_sift_new (grey->width, grey->height, &error) : NULL;
    g_autoptr (GArray) keypoints = sift != NULL ? assay_sift_detect (sift, grey, &error) : NULL;
    double count;

    if (keypoints == NULL)
      descriptor_stop (error);
    count = 1000.0 * keypoints->len / (double) (grey->width * grey->height);
    g_array_append_val (counts, count);
  }
}

static DescriptorSample
sample_photographs (const char *folder, const DescriptorSample *like, guint64 seed)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "statistics", "photographs"), 0);
  g_autoptr (AssayRowFiles) secrets = open_rows (folder, "sift/sift_private_queries.bvecs");
  g_autoptr (AssayRowFiles) database = open_rows (folder, "sift/sift_places_public.bvecs[:90000]");
  g_autoptr (AssayRowFiles) others = open_rows (folder, "sift/sift_places_public.bvecs[90000:]");
  g_autofree char *csv
      = g_build_filename (folder, "sift", "sift_private_queries_keypoints.csv", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayCsvColumn) photos
      = assay_csv_column_read (csv, "photo", assay_rows_count (secrets->rows), &error);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (double));
  DescriptorSample sample = { 0 };

  if (photos == NULL)
    descriptor_stop (error);
  sample.secrets = descriptor_draw (secrets->rows, G_MAXSIZE, &stream);
  sample.database = descriptor_draw (database->rows, like->database->rows, &stream);
  sample.public_rows = descriptor_draw (others->rows, like->public_rows->rows, &stream);
  sample.groups = g_memdup2 (photos->groups, photos->n_rows * sizeof (gint64));
  count_keypoints (folder, "private10", counts);
  count_keypoints (folder, "scenes50", counts);
  sample.n_images = counts->len;
  sample.per_image = (double *) (gpointer) g_array_free (g_steal_pointer (&counts), FALSE);
  return sample;
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
print (const DescriptorFigures *p, const DescriptorFigures *s)
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
clear_sample (DescriptorSample *sample)
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
  DescriptorSample scenes, photographs;
  DescriptorFigures generated, real;

  for (int i = 1; i < argc; i++) {
    g_auto (GStrv) pair = g_strsplit (argv[i], "=", 2);

    if (strcmp (argv[i], "--data") == 0 && i + 1 < argc)
      folder = argv[++i];
    else if (strcmp (argv[i], "--seed") == 0 && i + 1 < argc)
      seed = g_ascii_strtoull (argv[++i], NULL, 10);
    else if (pair[0] == NULL || pair[1] == NULL) {
      fprintf (stderr, "usage: descriptor-statistics --data FOLDER [--seed N] "
                       "[SETTING=VALUE]...\n");
      return 2;
    } else if (!assay_settings_set (settings, pair[0], pair[1], &error))
      descriptor_stop (error);
  }
  if (folder == NULL) {
    fprintf (stderr, "descriptor-statistics: expected --data FOLDER, which holds sift/\n");
    return 2;
  }
  scenes = sample_scenes (settings, seed);
  photographs = sample_photographs (folder, &scenes, seed);
  printf ("photographs: %zu secrets, %zu public, %zu database rows; seed %" G_GUINT64_FORMAT
          "; %d queries\n\n",
          photographs.secrets->rows, photographs.public_rows->rows, photographs.database->rows,
          seed, N_QUERIES);
  real = descriptor_figures_of (&photographs, seed);
  generated = descriptor_figures_of (&scenes, seed);
  print (&real, &generated);
  clear_sample (&scenes);
  clear_sample (&photographs);
  return 0;
}
