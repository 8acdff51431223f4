/* The dataset `vectors`. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "core/data/npy.h"
#include "core/plugin/plugin.h"

extern const AssayDatasetPlugin assay_dataset_vectors;

/* ---- Files to test with ---- */

static char *folder;

static void
write_file (const char *name, const void *data, gsize length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  FILE *file = g_fopen (path, "wb");

  cr_assert_not_null (file, "%s", path);
  cr_assert_eq (fwrite (data, 1, length, file), length);
  cr_assert_eq (fclose (file), 0);
}

/* @rows x @cols bytes counting up from @from, as .bvecs. */
static void
write_bvecs (const char *name, gint32 rows, gint32 cols, gint32 from)
{
  GString *text = g_string_new (NULL);

  for (gint32 i = 0; i < rows * cols; i++) {
    if (i % cols == 0)
      g_string_append_len (text, (const char *) &cols, 4);
    g_string_append_c (text, (char) (from + i));
  }
  write_file (name, text->str, text->len);
  g_string_free (text, TRUE);
}

static void
set_up (void)
{
  static const char csv[] = "photo,x\r\nb,1\r\na,2\r\n\"b\",3\r\nc,4\r\na,5\r\nb,6\r\n";
  static const char other[] = "x,photo\n1,d\n2,a\n";

  folder = g_dir_make_tmp ("assay-vectors-XXXXXX", NULL);
  cr_assert_not_null (folder);
  write_bvecs ("six.bvecs", 6, 2, 0);
  write_bvecs ("two.bvecs", 2, 2, 100);
  write_bvecs ("pool.bvecs", 10, 2, 50);
  write_bvecs ("wide.bvecs", 3, 5, 0);
  write_file ("six.csv", csv, strlen (csv));
  write_file ("two.csv", other, strlen (other));
}

static void
tear_down (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

TestSuite (vectors, .init = set_up, .fini = tear_down);

/* @text with every '@' replaced by the folder. */
static char *
fill_in (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "@", -1);

  return g_strjoinv (folder, parts);
}

/* ---- The dataset ---- */

/* Settings by name and text, NULL-terminated; '@' in a text is the folder. */
static AssaySettings *
make_settings (const char *const *pairs)
{
  AssaySettings *settings
      = assay_settings_new (assay_dataset_vectors.parameters, assay_dataset_vectors.settings_size);

  for (gsize i = 0; pairs[i] != NULL; i += 2) {
    g_autofree char *text = fill_in (pairs[i + 1]);

    cr_assert (assay_settings_set (settings, pairs[i], text, NULL), "%s", pairs[i]);
  }
  return settings;
}

/* Probes and opens; both say the same. FALSE with the error of both. */
static gboolean
open_with (const char *const *pairs, AssayProbe *ret_probe, AssayDataset *ret_dataset,
           GError **error)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (AssaySettings) settings = make_settings (pairs);
  const AssayDatasetContext context = { .settings = settings->values, .folders = folders };
  g_autoptr (GError) probe_error = NULL;
  gboolean is_probed;
  gboolean is_open;

  memset (ret_probe, 0x5a, sizeof *ret_probe);
  memset (ret_dataset, 0, sizeof *ret_dataset);
  is_probed = assay_dataset_vectors.probe (&context, ret_probe, &probe_error);
  is_open = assay_dataset_vectors.open (&context, ret_dataset, error);
  cr_assert_eq (is_probed, is_open);
  if (!is_open) {
    cr_assert_str_eq (probe_error->message, (*error)->message);
    cr_assert_eq (probe_error->code, (*error)->code);
    cr_assert_eq (*(const guint8 *) ret_probe, 0x5a, "the probe was touched on failure");
    cr_assert_null (ret_dataset->secrets);
  }
  return is_open;
}

static void
clear_dataset (AssayDataset *dataset)
{
  g_clear_pointer (&dataset->secrets, assay_rows_unref);
  g_clear_pointer (&dataset->public_rows, assay_rows_unref);
  g_clear_pointer (&dataset->database, assay_rows_unref);
  g_clear_pointer (&dataset->groups, g_free);
  g_clear_pointer (&dataset->sha256, g_free);
}

Test (vectors, opens_every_role)
{
  const char *const pairs[]
      = { "private",  "six.bvecs[1:]",    "public", "pool.bvecs[:4],two.bvecs",
          "database", "@/pool.bvecs[4:]", "groups", "six.csv:photo",
          NULL };
  const gint64 groups[] = { 0, 1, 2, 0, 1 }; /* a b c a b */
  AssayProbe probe;
  AssayDataset dataset;
  g_autoptr (GError) error = NULL;
  float values[12];

  cr_assert (open_with (pairs, &probe, &dataset, &error), "%s", error ? error->message : "");
  cr_assert_eq (probe.n_secrets, 5);
  cr_assert_eq (probe.n_public, 6);
  cr_assert_eq (probe.n_database, 6);
  cr_assert_eq (probe.n_groups, 3);
  cr_assert_eq (probe.cols, 2);
  cr_assert_not (probe.is_estimate);
  cr_assert_eq (probe.memory, 40);
  cr_assert_eq (assay_rows_count (dataset.secrets), 5);
  cr_assert_eq (assay_rows_count (dataset.public_rows), 6);
  cr_assert_eq (assay_rows_count (dataset.database), 6);
  cr_assert_eq (dataset.n_groups, 3);
  for (gsize i = 0; i < 5; i++)
    cr_assert_eq (dataset.groups[i], groups[i], "row %zu", i);
  assay_rows_read (dataset.secrets, 0, 5, ASSAY_SCALE_NONE, values);
  cr_assert_eq (values[0], 2);
  cr_assert_eq (values[9], 11);
  assay_rows_read (dataset.public_rows, 3, 2, ASSAY_SCALE_NONE, values);
  cr_assert_eq (values[0], 56);
  cr_assert_eq (values[2], 100);
  assay_rows_read (dataset.database, 0, 1, ASSAY_SCALE_NONE, values);
  cr_assert_eq (values[0], 58);
  clear_dataset (&dataset);
}

Test (vectors, roles_may_be_left_out)
{
  const char *const pairs[] = { "private", "six.bvecs", NULL };
  /* printf 'private %s\npublic none\ndatabase none\n' $(printf '\0\1...\13' | sha256sum) */
  static const char expected[] = "13d98de3bec5dc92fd1a9511a1c5c3c00a4353a55f49a04f6366c88fc53a105a";
  AssayProbe probe;
  AssayDataset dataset;
  g_autoptr (GError) error = NULL;

  cr_assert (open_with (pairs, &probe, &dataset, &error), "%s", error ? error->message : "");
  cr_assert_eq (probe.n_secrets, 6);
  cr_assert_eq (probe.n_public, 0);
  cr_assert_eq (probe.n_database, 0);
  cr_assert_eq (probe.n_groups, 0);
  cr_assert_eq (probe.memory, 0);
  cr_assert_null (dataset.public_rows);
  cr_assert_null (dataset.database);
  cr_assert_null (dataset.groups);
  cr_assert_eq (dataset.n_groups, 0);
  cr_assert_str_eq (dataset.sha256, expected);
  clear_dataset (&dataset);
}

/* The hash tells apart what results depend on, and nothing else. */
Test (vectors, hash_follows_content)
{
  static const char *const sets[][9] = {
    { "private", "six.bvecs", NULL },
    { "private", "copy.bvecs", NULL },
    { "private", "six.bvecs[:5]", NULL },
    { "private", "six.bvecs", "public", "two.bvecs", NULL },
    { "private", "six.bvecs", "database", "two.bvecs", NULL },
    { "private", "six.bvecs", "groups", "six.csv:photo", NULL },
    { "private", "six.bvecs", "groups", "six.csv:x", NULL },
  };
  g_autofree char *hashes[G_N_ELEMENTS (sets)] = { NULL };

  write_bvecs ("copy.bvecs", 6, 2, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (sets); i++) {
    AssayProbe probe;
    AssayDataset dataset;
    g_autoptr (GError) error = NULL;

    cr_assert (open_with (sets[i], &probe, &dataset, &error), "set %zu", i);
    hashes[i] = g_steal_pointer (&dataset.sha256);
    clear_dataset (&dataset);
  }
  cr_assert_str_eq (hashes[0], hashes[1]);
  for (gsize i = 1; i < G_N_ELEMENTS (sets); i++)
    for (gsize j = i + 1; j < G_N_ELEMENTS (sets); j++)
      cr_assert_str_neq (hashes[i], hashes[j], "sets %zu and %zu", i, j);
  for (gsize i = 0; i < G_N_ELEMENTS (sets); i++)
    g_clear_pointer (&hashes[i], g_free);
}

Test (vectors, groups_of_several_files)
{
  /* d a | a b c: the same text is the same group in both files */
  const char *const pairs[]
      = { "private", "two.bvecs,six.bvecs[1:4]", "groups", "two.csv:photo, six.csv:photo", NULL };
  /* one file twice, one CSV: c a b | b a */
  const char *const same[]
      = { "private", "six.bvecs[3:],six.bvecs[:2]", "groups", "@/six.csv:photo", NULL };
  const gint64 expected[] = { 0, 1, 1, 2, 3 };
  const gint64 expected_same[] = { 0, 1, 2, 2, 1 };
  AssayProbe probe;
  AssayDataset dataset;
  g_autoptr (GError) error = NULL;

  cr_assert (open_with (pairs, &probe, &dataset, &error), "%s", error ? error->message : "");
  cr_assert_eq (probe.n_groups, 4);
  for (gsize i = 0; i < 5; i++)
    cr_assert_eq (dataset.groups[i], expected[i], "row %zu", i);
  clear_dataset (&dataset);
  cr_assert (open_with (same, &probe, &dataset, &error), "%s", error ? error->message : "");
  cr_assert_eq (probe.n_groups, 3);
  for (gsize i = 0; i < 5; i++)
    cr_assert_eq (dataset.groups[i], expected_same[i], "row %zu", i);
  clear_dataset (&dataset);
}

/* Rows in two directions, of many lengths: two centres are those directions, of length 1, in either
 * order; and the data is not that of the rows. */
Test (vectors, database_of_centres)
{
  static const guint8 rows[][2]
      = { { 3, 4 }, { 6, 8 }, { 12, 5 }, { 30, 40 }, { 24, 10 }, { 60, 25 } };
  const char *const pairs[] = { "private", "six.bvecs", "database", "rays.bvecs",
                                "database_centres", "2", NULL };
  const char *const plain[] = { "private", "six.bvecs", "database", "rays.bvecs", NULL };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const gint32 cols = 2;
  AssayProbe probe, plain_probe;
  AssayDataset dataset, plain_dataset;
  g_autoptr (GError) error = NULL;
  float centres[4];
  gsize steep;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_byte_array_append (bytes, (const guint8 *) &cols, 4);
    g_byte_array_append (bytes, rows[i], 2);
  }
  write_file ("rays.bvecs", bytes->data, bytes->len);
  cr_assert (open_with (pairs, &probe, &dataset, &error), "%s", error ? error->message : "");
  cr_assert (open_with (plain, &plain_probe, &plain_dataset, &error));
  cr_assert_eq (probe.n_database, 2);
  cr_assert_eq (plain_probe.n_database, 6);
  cr_assert_gt (probe.memory, plain_probe.memory);
  cr_assert_eq (assay_rows_count (dataset.database), 2);
  assay_rows_read (dataset.database, 0, 2, ASSAY_SCALE_NONE, centres);
  steep = centres[1] > centres[3] ? 0 : 1;
  cr_assert_float_eq (centres[2 * steep], 0.6, 1e-6);
  cr_assert_float_eq (centres[2 * steep + 1], 0.8, 1e-6);
  cr_assert_float_eq (centres[2 - 2 * steep], 12.0 / 13, 1e-6);
  cr_assert_float_eq (centres[3 - 2 * steep], 5.0 / 13, 1e-6);
  cr_assert_str_neq (dataset.sha256, plain_dataset.sha256);
  clear_dataset (&dataset);
  clear_dataset (&plain_dataset);
}

Test (vectors, more_centres_than_rows_are_refused)
{
  static const char *const many[] = { "private", "six.bvecs", "database", "pool.bvecs[:4]",
                                      "database_centres", "5", NULL };
  static const char *const none[] = { "private", "six.bvecs", "database_centres", "1", NULL };
  AssayProbe probe;
  AssayDataset dataset;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) second = NULL;

  cr_assert (!open_with (many, &probe, &dataset, &error));
  cr_assert_str_eq (error->message,
                    "database_centres = 5: expected at most the 4 rows of the database");
  cr_assert (!open_with (none, &probe, &dataset, &second));
  cr_assert_str_eq (second->message,
                    "database_centres = 1: expected at most the 0 rows of the database");
}

#define SHARE(a, b, shared, file)                                                                  \
  a " and " b " share rows " shared " of @/" file "; a row may be used once"
#define NOT_FOUND "; the environment variable ASSAY_DATA tells in which folder data is"

typedef struct {
  const char *pairs[9];
  AssayErrorCode code;
  const char *message;
} Refusal;

static void
expect_refused (const Refusal *refusal)
{
  g_autofree char *expected = fill_in (refusal->message);
  g_autoptr (GError) error = NULL;
  AssayProbe probe;
  AssayDataset dataset;

  cr_assert_not (open_with (refusal->pairs, &probe, &dataset, &error), "accepted: %s",
                 refusal->message);
  cr_assert_eq (error->domain, ASSAY_ERROR);
  cr_assert_str_eq (error->message, expected);
  cr_assert_eq (error->code, (int) refusal->code, "%s", expected);
}

Test (vectors, refuses_roles_that_do_not_fit)
{
  static const Refusal refusals[] = {
    { { "private", "six.bvecs[1:4]", "public", "pool.bvecs,six.bvecs[3:]", NULL },
      ASSAY_ERROR_DATA,
      SHARE ("private [1:4]", "public [3:6]", "[3:4]", "six.bvecs") },
    { { "private", "six.bvecs", "database", "./six.bvecs[:1]", NULL },
      ASSAY_ERROR_DATA,
      SHARE ("private [0:6]", "database [0:1]", "[0:1]", "six.bvecs") },
    { { "private", "six.bvecs", "public", "pool.bvecs[4:8]", "database", "pool.bvecs[:6]", NULL },
      ASSAY_ERROR_DATA,
      SHARE ("database [0:6]", "public [4:8]", "[4:6]", "pool.bvecs") },
    { { "private", "six.bvecs[:3],two.bvecs,six.bvecs[2:]", NULL },
      ASSAY_ERROR_DATA,
      SHARE ("private [0:3]", "private [2:6]", "[2:3]", "six.bvecs") },
    { { "private", "six.bvecs", "public", "wide.bvecs", NULL },
      ASSAY_ERROR_MISMATCH,
      "private has 2 columns (@/six.bvecs), public has 5 (@/wide.bvecs); expected as many" },
    { { "private", "six.bvecs", "database", "wide.bvecs", NULL },
      ASSAY_ERROR_MISMATCH,
      "private has 2 columns (@/six.bvecs), database has 5 (@/wide.bvecs); expected as many" },
    { { "private", "six.bvecs,wide.bvecs", NULL },
      ASSAY_ERROR_DATA,
      "private: @/wide.bvecs: has 5 columns; expected 2 as in @/six.bvecs" },
    { { "private", "no.bvecs", NULL },
      ASSAY_ERROR_DATA,
      "private: no.bvecs: no such file (looked for @/no.bvecs)" NOT_FOUND },
    { { "private", "six.bvecs", "public", "six.bvecs[2]", NULL },
      ASSAY_ERROR_DATA,
      "public: malformed range 'six.bvecs[2]': expected [FIRST:END], rows counted from 0 and END "
      "not included; either may be left out" },
    { { "private", "six.bvecs", "database", "pool.bvecs[9:11]", NULL },
      ASSAY_ERROR_DATA,
      "database: @/pool.bvecs: the range [9:11] reaches out of the file, which has 10 rows" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    expect_refused (&refusals[i]);
}

Test (vectors, refuses_groups_that_do_not_fit)
{
  static const Refusal refusals[] = {
    { { "private", "six.bvecs", "groups", "six.csv", NULL },
      ASSAY_ERROR_DATA,
      "groups: 'six.csv': expected FILE.csv:COLUMN" },
    { { "private", "six.bvecs", "groups", "six.csv:", NULL },
      ASSAY_ERROR_DATA,
      "groups: 'six.csv:': expected FILE.csv:COLUMN" },
    { { "private", "six.bvecs", "groups", ".csv:photo", NULL },
      ASSAY_ERROR_DATA,
      "groups: '.csv:photo': expected FILE.csv:COLUMN" },
    { { "private", "six.bvecs", "groups", "no.csv:photo", NULL },
      ASSAY_ERROR_DATA,
      "groups: no.csv: no such file (looked for @/no.csv)" NOT_FOUND },
    { { "private", "six.bvecs", "groups", "six.csv:phto", NULL },
      ASSAY_ERROR_DATA,
      "groups: @/six.csv: has no column 'phto' (did you mean 'photo'?); its columns are photo, "
      "x" },
    { { "private", "six.bvecs[:2]", "groups", "two.csv:photo", NULL },
      ASSAY_ERROR_DATA,
      "groups: @/two.csv: has 2 rows; expected 6, one for each row of vectors" },
    { { "private", "six.bvecs,two.bvecs", "groups", "six.csv:photo", NULL },
      ASSAY_ERROR_DATA,
      "groups: 1 FILE.csv:COLUMN for 2 private files; expected one for each" },
    { { "private", "six.bvecs", "groups", "six.csv:photo,two.csv:photo", NULL },
      ASSAY_ERROR_DATA,
      "groups: 2 FILE.csv:COLUMN for 1 private files; expected one for each" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    expect_refused (&refusals[i]);
}

Test (vectors, private_is_required)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (assay_dataset_vectors.parameters, assay_dataset_vectors.settings_size);
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_settings_check_complete (settings, &error));
  cr_assert_eq (strncmp (error->message, "'private' is missing", 20), 0, "%s", error->message);
}

/* ---- Real files ---- */

Test (vectors, private_queries_have_the_groups_of_their_photographs)
{
  const char *source = g_getenv ("ASSAY_SOURCE");
  g_autofree char *beside
      = g_build_filename (source != NULL ? source : ".", "..", "shared", "data", NULL);
  const char *const folders[] = { beside, g_getenv ("ASSAY_DATA"), NULL };
  const char *const pairs[] = { "private",  "sift/sift_private_queries.bvecs",
                                "public",   "sift/sift_places_public.bvecs[:60000]",
                                "database", "sift/sift_places_public.bvecs[60000:]",
                                "groups",   "sift/sift_private_queries_keypoints.csv:photo",
                                NULL };
  /* The README counts them: desk, dining_table, china_cabinet, ... in the order of the file. */
  static const guint counts[] = { 638, 655, 1207, 367, 596, 551, 567, 338, 459, 787 };
  g_autoptr (AssaySettings) settings = make_settings (pairs);
  const AssayDatasetContext context = { .settings = settings->values, .folders = folders };
  AssayDataset dataset = { 0 };
  g_autoptr (GError) error = NULL;
  guint found[10] = { 0 };

  if (!assay_dataset_vectors.open (&context, &dataset, &error)) {
    if (strstr (error->message, "no such file") != NULL)
      cr_skip_test ("public data is missing: %s", error->message);
    cr_assert_fail ("%s", error->message);
  }
  cr_assert_eq (assay_rows_count (dataset.secrets), 6165);
  cr_assert_eq (assay_rows_count (dataset.public_rows), 60000);
  cr_assert_eq (assay_rows_count (dataset.database), 60342);
  cr_assert_eq (dataset.n_groups, 10);
  for (gsize i = 0; i < 6165; i++)
    found[dataset.groups[i]]++;
  for (guint g = 0; g < 10; g++)
    cr_assert_eq (found[g], counts[g], "group %u: %u", g, found[g]);
  clear_dataset (&dataset);
}

/* RootSIFT of every role: of (0, 1) the root is (0, 1), of (2, 3) (sqrt (2/5), sqrt (3/5)). */
Test (vectors, scale_root)
{
  const char *const pairs[]
      = { "private",        "six.bvecs[:2]", "public", "two.bvecs", "database",
          "pool.bvecs[:4]", "scale",         "root",   NULL };
  const char *const plain[]
      = { "private", "six.bvecs[:2]", "public", "two.bvecs", "database", "pool.bvecs[:4]", NULL };
  static const float expected[] = { 0, 1, 0.63245553F, 0.77459667F };
  AssayDataset dataset, stored;
  AssayProbe probe, of_stored;
  float rows[8];

  cr_assert (open_with (pairs, &probe, &dataset, NULL));
  cr_assert (open_with (plain, &of_stored, &stored, NULL));
  cr_assert_str_neq (dataset.sha256, stored.sha256);
  cr_assert_eq (probe.memory, of_stored.memory + 8 * 2 * sizeof (float));
  assay_rows_read (dataset.secrets, 0, 2, ASSAY_SCALE_NONE, rows);
  for (gsize j = 0; j < G_N_ELEMENTS (expected); j++)
    cr_assert_float_eq (rows[j], expected[j], 1e-6, "number %zu: %g", j, (double) rows[j]);
  assay_rows_read (dataset.public_rows, 0, 2, ASSAY_SCALE_NONE, rows);
  cr_assert_float_eq (rows[0] * rows[0], 100.0 / 201, 1e-6);
  assay_rows_read (dataset.database, 3, 1, ASSAY_SCALE_NONE, rows);
  cr_assert_float_eq (rows[1] * rows[1], 57.0 / 113, 1e-6);
  clear_dataset (&dataset), clear_dataset (&stored);
}

Test (vectors, scale_root_of_negative_numbers)
{
  static const char csv[] = "1,2\n3,-0.5\n";
  const char *const pairs[]
      = { "private", "six.bvecs", "public", "below.csv", "scale", "root", NULL };
  g_autoptr (GError) error = NULL;
  AssayDataset dataset;
  AssayProbe probe;

  write_file ("below.csv", csv, strlen (csv));
  cr_assert_not (open_with (pairs, &probe, &dataset, &error));
  cr_assert_str_eq (error->message,
                    "public: scale = root: row 1 has -0.5 in column 1, and the root of numbers "
                    "below 0 is not defined");
}
