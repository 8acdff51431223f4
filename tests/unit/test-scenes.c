/* The dataset `scenes`: the same rows whatever the threads, roles apart from each other, settings
 * and errors. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "core/plugin.h"
#include "datasets/sift.h"

extern const AssayDatasetPlugin assay_dataset_scenes;

/* Small images, and whatever @changes ("name=value name=value") says. */
static AssaySettings *
settings_of (const char *changes)
{
  const char *small = "private_images=3 public_images=2 database_images=4 width=160 height=120 "
                      "per_image=40";
  g_autofree char *all = g_strconcat (small, *changes != '\0' ? " " : "", changes, NULL);
  g_auto (GStrv) words = g_strsplit (all, " ", 0);
  AssaySettings *settings = assay_settings_new (assay_dataset_scenes.parameters,
                                                assay_dataset_scenes.settings_size);

  for (gsize i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

    cr_assert (assay_settings_set (settings, pair[0], pair[1], NULL), "%s", words[i]);
  }
  return settings;
}

static gboolean
open_scenes (const char *changes, guint64 seed, AssayDataset *dataset, GError **error)
{
  g_autoptr (AssaySettings) settings = settings_of (changes);
  const AssayDatasetContext context = {
    .settings = settings->values,
    .stream = assay_stream_key (seed, 0, "data", "scenes"),
  };

  *dataset = (AssayDataset){ 0 };
  return assay_dataset_scenes.open (&context, dataset, error);
}

static void
open_surely (const char *changes, guint64 seed, AssayDataset *dataset)
{
  g_autoptr (GError) error = NULL;

  cr_assert (open_scenes (changes, seed, dataset, &error), "%s",
             error != NULL ? error->message : "");
}

static float *
values_of (const AssayRows *rows)
{
  float *values = g_new (float, assay_rows_count (rows) * ASSAY_SIFT_LENGTH);

  assay_rows_read (rows, 0, assay_rows_count (rows), ASSAY_SCALE_NONE, values);
  return values;
}

static gboolean
is_equal (const AssayRows *a, const AssayRows *b)
{
  g_autofree float *first = values_of (a), *second = values_of (b);

  return assay_rows_count (a) == assay_rows_count (b)
         && memcmp (first, second, assay_rows_count (a) * ASSAY_SIFT_LENGTH * sizeof (float)) == 0;
}

/* How many rows of @a are also in @b. */
static gsize
count_common (const AssayRows *a, const AssayRows *b)
{
  g_autofree float *first = values_of (a), *second = values_of (b);
  gsize n = 0;

  for (gsize i = 0; i < assay_rows_count (a); i++)
    for (gsize j = 0; j < assay_rows_count (b); j++)
      if (memcmp (first + i * ASSAY_SIFT_LENGTH, second + j * ASSAY_SIFT_LENGTH,
                  ASSAY_SIFT_LENGTH * sizeof (float))
          == 0) {
        n++;
        break;
      }
  return n;
}

Test (scenes, rows_do_not_depend_on_threads)
{
  AssayDataset one, more;

  assay_parallel_set_threads (1);
  open_surely ("", 7, &one);
  cr_assert_eq (assay_rows_count (one.secrets), 3 * 40);
  for (guint threads = 2; threads <= 3; threads++) {
    assay_parallel_set_threads (threads);
    open_surely ("", 7, &more);
    cr_expect (is_equal (one.secrets, more.secrets), "%u threads: secrets", threads);
    cr_expect (is_equal (one.public_rows, more.public_rows), "%u threads: public", threads);
    cr_expect (is_equal (one.database, more.database), "%u threads: database", threads);
    cr_expect_str_eq (one.sha256, more.sha256, "%u threads", threads);
    assay_dataset_clear (&more);
  }
  assay_dataset_clear (&one);
}

Test (scenes, seeds_give_other_rows)
{
  AssayDataset one, other;

  open_surely ("", 7, &one);
  open_surely ("", 8, &other);
  cr_expect_str_neq (one.sha256, other.sha256);
  cr_expect_eq (count_common (one.secrets, other.secrets), 0);
  assay_dataset_clear (&one);
  assay_dataset_clear (&other);
}

/* Rows of one role do not reappear in another, and do not depend on how many images others have. */
Test (scenes, roles_have_images_of_their_own)
{
  AssayDataset one, more;

  open_surely ("", 7, &one);
  cr_expect_eq (count_common (one.secrets, one.public_rows), 0);
  cr_expect_eq (count_common (one.secrets, one.database), 0);
  cr_expect_eq (count_common (one.public_rows, one.database), 0);
  open_surely ("public_images=3 database_images=0", 7, &more);
  cr_expect (is_equal (one.secrets, more.secrets));
  cr_expect_eq (count_common (one.public_rows, more.public_rows), 2 * 40);
  cr_expect_eq (assay_rows_count (more.public_rows), 3 * 40);
  cr_expect_null (more.database);
  assay_dataset_clear (&one);
  assay_dataset_clear (&more);
}

Test (scenes, groups_are_images)
{
  AssayDataset dataset;
  gint64 last = -1;
  gsize in_group = 0;

  open_surely ("private_images=5", 7, &dataset);
  cr_assert_eq (dataset.n_groups, 5);
  for (gsize i = 0; i < assay_rows_count (dataset.secrets); i++) {
    in_group = dataset.groups[i] == last ? in_group + 1 : 1;
    cr_assert (dataset.groups[i] == last || dataset.groups[i] == last + 1, "row %zu", i);
    cr_assert_leq (in_group, 40, "row %zu", i);
    last = dataset.groups[i];
  }
  cr_expect_eq (last, 4);
  assay_dataset_clear (&dataset);
}

/* A limit takes descriptors away and changes none. */
Test (scenes, limit_draws_from_all_descriptors)
{
  AssayDataset few, all;

  open_surely ("per_image=15", 7, &few);
  open_surely ("per_image=10000", 7, &all);
  cr_expect_eq (assay_rows_count (few.secrets), 3 * 15);
  cr_expect_gt (assay_rows_count (all.secrets), 3 * 40);
  cr_expect_eq (count_common (few.secrets, all.secrets), 3 * 15);
  assay_dataset_clear (&few);
  assay_dataset_clear (&all);
}

/* 512 times a unit vector, rounded; what was cut off at 255 is missing. */
Test (scenes, rows_are_bytes_of_norm_512)
{
  AssayDataset dataset;
  g_autofree float *values = NULL;

  open_surely ("", 7, &dataset);
  values = values_of (dataset.database);
  for (gsize i = 0; i < assay_rows_count (dataset.database); i++) {
    double squares = 0;

    for (gsize j = 0; j < ASSAY_SIFT_LENGTH; j++) {
      const double value = values[i * ASSAY_SIFT_LENGTH + j];

      cr_assert (value >= 0 && value <= 255 && fabs (value - rint (value)) < 1e-9,
                 "row %zu, column %zu: %g", i, j, value);
      squares += value * value;
    }
    cr_assert_float_eq (sqrt (squares), 512, 20, "row %zu: %g", i, sqrt (squares));
  }
  assay_dataset_clear (&dataset);
}

Test (scenes, survey_is_an_upper_bound)
{
  g_autoptr (AssaySettings) settings = settings_of ("per_image=100");
  const AssayDatasetContext context = { .settings = settings->values };
  AssaySurvey survey;
  AssayDataset dataset;

  cr_assert (assay_dataset_scenes.survey (&context, &survey, NULL));
  open_surely ("per_image=100", 7, &dataset);
  cr_expect (survey.is_estimate);
  cr_expect_eq (survey.cols, assay_rows_cols (dataset.secrets));
  cr_expect_eq (survey.n_groups, 3);
  cr_expect_eq (survey.n_secrets, 300);
  cr_expect_eq (survey.n_public, 200);
  cr_expect_eq (survey.n_database, 400);
  cr_expect_leq (assay_rows_count (dataset.secrets), survey.n_secrets);
  /* The filters of two workers alone: 31 values a sample of the doubled picture. */
  cr_expect_gt (survey.memory, (guint64) assay_parallel_threads () * 160 * 120 * 4 * 4 * 31);
  assay_dataset_clear (&dataset);
}

Test (scenes, no_keypoints_is_an_error)
{
  g_autoptr (GError) error = NULL;
  AssayDataset dataset;

  cr_expect_not (open_scenes ("width=32 height=32 blur=20 noise=0", 7, &dataset, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_expect_not_null (strstr (error->message, "private"), "%s", error->message);
  cr_expect_not_null (strstr (error->message, "32 x 32"), "%s", error->message);
  assay_dataset_clear (&dataset);
}

Test (scenes, settings_out_of_range_are_refused)
{
  const char *const bad[][2] = {
    { "private_images", "0" }, { "public_images", "-1" },   { "database_images", "1000000" },
    { "per_image", "0" },      { "width", "31" },           { "height", "5000" },
    { "blur", "nan" },         { "noise", "-0.5" },         { "sharpen", "inf" },
    { "images", "3" },         { "width", "320 pixels" },
  };
  g_autoptr (AssaySettings) settings = settings_of ("");

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    cr_expect_not (assay_settings_set (settings, bad[i][0], bad[i][1], &error), "%s=%s", bad[i][0],
                   bad[i][1]);
    cr_expect (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER), "%s=%s", bad[i][0],
               bad[i][1]);
  }
}
