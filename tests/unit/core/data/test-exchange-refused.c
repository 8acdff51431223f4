/* Folders of releases, guesses and truths that reading refuses: each with its message. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "core/data/exchange.h"
#include "core/data/npy.h"
#include "tests/reference/fixtures.h"

static char *folder;
static char *place; /* folder/r */

static void
set_up (void)
{
  folder = fixture_folder ();
  place = g_build_filename (folder, "r", NULL);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
  g_free (place);
}

TestSuite (exchange_refused, .init = set_up, .fini = tear_down);

/* How many files and folders are in @path. */
static guint
count_files (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
write_array (const char *name, AssayArray *taken)
{
  g_autoptr (AssayArray) array = taken;
  g_autofree char *path = g_build_filename (place, name, NULL);

  cr_assert (assay_npy_write (path, array, NULL));
}

/* A folder with arrays that fit (t.npy, b.npy), and some that do not. */
static void
make_folder (void)
{
  AssayArray *bad = fixture_axes (4, 2, 3), *nan = fixture_numbers (ASSAY_FLOAT32, 2, 4, 3, 0);
  const gsize large_shape[] = { 4, 3 };
  AssayArray *large = assay_array_take (ASSAY_INT64, 2, large_shape, g_new0 (gint64, 12));
  AssayArray *twice = fixture_sets (5, 3, 4), *negative = fixture_sets (5, 3, 4);
  g_autofree char *whole = NULL;
  g_autofree char *path = g_build_filename (place, "t.npy", NULL);
  g_autofree char *cut = g_build_filename (place, "cut.npy", NULL);
  G_GNUC_UNUSED g_autofree char *outside = g_build_filename (folder, "out.npy", NULL);
  gsize length;

  g_mkdir (place, 0700);
  write_array ("t.npy", fixture_numbers (ASSAY_FLOAT32, 2, 4, 3, 0));
  write_array ("../out.npy", fixture_numbers (ASSAY_FLOAT32, 2, 4, 3, 0));
  write_array ("b.npy", fixture_axes (4, 2, 3));
  write_array ("five.npy", fixture_axes (5, 2, 3));
  write_array ("wide.npy", fixture_axes (4, 2, 6));
  write_array ("deep.npy", fixture_axes (4, 4, 3));
  write_array ("ints.npy", fixture_numbers (ASSAY_INT64, 2, 4, 3, 0));
  ((gint64 *) (gpointer) large->data)[5] = -((gint64) 1 << 24) - 1;
  write_array ("large.npy", large);
  write_array ("empty.npy", fixture_numbers (ASSAY_FLOAT32, 2, 0, 3, 0));
  ((float *) (gpointer) bad->data)[2 * 6 + 3] = 0.01f; /* secret 2: (1 0 0), (.01 1 0) */
  write_array ("bad.npy", bad);
  ((float *) (gpointer) nan->data)[7] = NAN;
  write_array ("nan.npy", nan);
  write_array ("sets.npy", fixture_sets (5, 3, 4));
  write_array ("high.npy", fixture_sets (5, 3, 5)); /* the dictionary t.npy has 4 rows */
  ((gint64 *) (gpointer) twice->data)[2 * 3 + 2] = 2;
  write_array ("twice.npy", twice);
  ((gint64 *) (gpointer) negative->data)[4 * 3 + 1] = -1;
  write_array ("negative.npy", negative);
  cr_assert (g_file_get_contents (path, &whole, &length, NULL));
  cr_assert (g_file_set_contents (cut, whole, (gssize) length - 1, NULL));
}

#define RELEASE(kind, arrays)                                                                      \
  "{\"format\": \"assay-release/1\", \"kind\": \"" kind "\", \"arrays\": {" arrays "}}"
#define IMAGES(geometry)                                                                           \
  "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometry\": {" geometry              \
  "}, \"arrays\": {\"vectors\": {\"file\": \"t.npy\"}}}"
#define T "\"translation\": {\"file\": \"t.npy\"}"
#define B(file) ", \"basis\": {\"file\": \"" file "\"}"
#define SETS(file) "\"sets\": {\"file\": \"" file "\"}"
#define DICTIONARY(file) ", \"dictionary\": {\"file\": \"" file "\"}"

typedef struct {
  const char *json;
  gint code;
  const char *message; /* '@' is the folder */
} Refused;

static const Refused refused[] = {
  { "[]", ASSAY_ERROR_DATA, "@/release.json: expected a JSON object" },
  { "{}", ASSAY_ERROR_DATA, "@/release.json: format is 'none', expected 'assay-release/1'" },
  { "{\"format\": 1}", ASSAY_ERROR_DATA,
    "@/release.json: format is 'none', expected 'assay-release/1'" },
  { "{\"format\": {}}", ASSAY_ERROR_DATA,
    "@/release.json: format is 'none', expected 'assay-release/1'" },
  { "{\"format\": \"assay-release/2\"}", ASSAY_ERROR_DATA,
    "@/release.json: format is 'assay-release/2', expected 'assay-release/1'" },
  { "{\"format\": \"assay-guess/1\"}", ASSAY_ERROR_DATA,
    "@/release.json: format is 'assay-guess/1', expected 'assay-release/1'" },
  { RELEASE ("cubes", T), ASSAY_ERROR_DATA,
    "@: release.json: kind is 'cubes', expected vectors, subspaces, vector-sets, "
    "statistics, mixtures, codes, updates, graph, paired-codes, gradients or network" },
  { "{\"format\": \"assay-release/1\", \"kind\": 3, \"arrays\": {}}", ASSAY_ERROR_DATA,
    "@: release.json: kind is '', expected vectors, subspaces, vector-sets, "
    "statistics, mixtures, codes, updates, graph, paired-codes, gradients or network" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\"}", ASSAY_ERROR_DATA,
    "@: expected an object 'arrays'" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"arrays\": []}", ASSAY_ERROR_DATA,
    "@: expected an object 'arrays'" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometry\": {\"unit_norm\": 1}}",
    ASSAY_ERROR_DATA, "@: release.json: geometry: expected unit_norm to be true or false" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometry\": {\"unit\": true}}",
    ASSAY_ERROR_DATA,
    "@: release.json: geometry has a member 'unit', expected unit_norm, height, width, channels, "
    "black, white, order, mean and deviation alone" },
  { IMAGES ("\"height\": 2.0, \"width\": 3"), ASSAY_ERROR_DATA,
    "@: release.json: geometry: expected height to be a whole number of 1 or more" },
  { IMAGES ("\"height\": 2, \"width\": 0"), ASSAY_ERROR_DATA,
    "@: release.json: geometry: expected width to be a whole number of 1 or more" },
  { IMAGES ("\"channels\": \"1\""), ASSAY_ERROR_DATA,
    "@: release.json: geometry: expected channels to be a whole number of 1 or more" },
  { IMAGES ("\"black\": null"), ASSAY_ERROR_DATA,
    "@: release.json: geometry: expected black to be a finite number" },
  { IMAGES ("\"white\": 1e999"), ASSAY_ERROR_DATA,
    "@: release.json: geometry: expected white to be a finite number" },
  { IMAGES ("\"height\": 1, \"width\": 3, \"black\": 0, \"white\": 1"), ASSAY_ERROR_DATA,
    "@: release.json: geometry of images lacks 'channels', expected height, width, channels, black "
    "and white" },
  { IMAGES ("\"height\": 2, \"width\": 3, \"channels\": 1, \"black\": 0, \"white\": 1"),
    ASSAY_ERROR_MISMATCH,
    "@: geometry: images of 2 x 3 pixels with 1 channel do not fit rows of 3 columns" },
  { IMAGES ("\"height\": 4294967296, \"width\": 4294967296, \"channels\": 3, \"black\": 0, "
            "\"white\": 1"),
    ASSAY_ERROR_MISMATCH,
    "@: geometry: images of 4294967296 x 4294967296 pixels with 3 channels do not fit rows of 3 "
    "columns" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometry\": true}",
    ASSAY_ERROR_DATA, "@: release.json: expected an object 'geometry'" },
  { RELEASE ("vectors", "\"vectors\": \"t.npy\""), ASSAY_ERROR_DATA,
    "@: array 'vectors': expected an object with a member 'file'" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": 1}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': expected an object with a member 'file'" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"../out.npy\"}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': file '../out.npy' is not a plain name inside the folder" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"/etc/passwd\"}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': file '/etc/passwd' is not a plain name inside the folder" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"..\"}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': file '..' is not a plain name inside the folder" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"./t.npy\"}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': file './t.npy' is not a plain name inside the folder" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"\"}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': file '' is not a plain name inside the folder" },
  { RELEASE ("subspaces", T), ASSAY_ERROR_MISMATCH,
    "@: release of kind subspaces: array 'basis' is missing" },
  { RELEASE ("vectors", T), ASSAY_ERROR_MISMATCH,
    "@: release of kind vectors: array 'vectors' is missing" },
  { RELEASE ("subspaces", T B ("b.npy") ", \"more\": {\"file\": \"t.npy\"}"), ASSAY_ERROR_MISMATCH,
    "@: release of kind subspaces: unknown array 'more'; expected translation, basis" },
  { RELEASE ("subspaces", T B ("b.npy") ", \"bases\": {\"file\": \"t.npy\"}"),
    ASSAY_ERROR_MISMATCH,
    "@: release of kind subspaces: unknown array 'bases' (did you mean 'basis'?); expected "
    "translation, basis" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"unit_norm\": true}",
    ASSAY_ERROR_DATA,
    "@: release.json: unknown member 'unit_norm' (it belongs into 'geometry'); expected format, "
    "kind, bits, defense, settings, parameters, geometry, arrays" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometri\": {}}",
    ASSAY_ERROR_DATA,
    "@: release.json: unknown member 'geometri' (did you mean 'geometry'?); expected format, "
    "kind, bits, defense, settings, parameters, geometry, arrays" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"t.npy\", \"dtype\": 1}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': unknown member 'dtype' (did you mean 'type'?); expected file, "
    "type, shape" },
  { RELEASE ("subspaces", T B ("five.npy")), ASSAY_ERROR_MISMATCH,
    "@: release of kind subspaces: array 'basis' is float32 5 x 2 x 3, but n = 4 by the arrays "
    "before it" },
  { RELEASE ("subspaces", T B ("wide.npy")), ASSAY_ERROR_MISMATCH,
    "@: release of kind subspaces: array 'basis' is float32 4 x 2 x 6, but d = 3 by the arrays "
    "before it" },
  { RELEASE ("subspaces", T B ("t.npy")), ASSAY_ERROR_MISMATCH,
    "@: release of kind subspaces: array 'basis': expected float32 of 3 dimensions, found "
    "float32 4 x 3" },
  { RELEASE ("subspaces", T B ("deep.npy")), ASSAY_ERROR_MISMATCH,
    "@: basis has 4 rows in dimension 3" },
  { RELEASE ("subspaces", T B ("bad.npy")), ASSAY_ERROR_DATA,
    "@: basis of secret 2: rows 0 and 1 have the inner product 0.01, expected 0" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"large.npy\"}"), ASSAY_ERROR_DATA,
    "@: array 'vectors': number 5 (-16777217) is a whole number beyond 2^24, of which float32 does "
    "not hold all; expected real or smaller numbers" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"nan.npy\"}"), ASSAY_ERROR_DATA,
    "@: release of kind vectors: vectors: row 2, column 1 is not a finite number" },
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"empty.npy\"}"), ASSAY_ERROR_MISMATCH,
    "@: release of kind vectors is empty" },
  { RELEASE ("vector-sets", SETS ("sets.npy")), ASSAY_ERROR_MISMATCH,
    "@: release of kind vector-sets: array 'dictionary' is missing" },
  { RELEASE ("vector-sets", SETS ("t.npy") DICTIONARY ("t.npy")), ASSAY_ERROR_MISMATCH,
    "@: release of kind vector-sets: array 'sets': expected int64 of 2 dimensions, found float32 "
    "4 x 3" },
  { RELEASE ("vector-sets", SETS ("sets.npy") DICTIONARY ("ints.npy")), ASSAY_ERROR_MISMATCH,
    "@: release of kind vector-sets: array 'dictionary': expected float32 of 2 dimensions, found "
    "int64 4 x 3" },
  { RELEASE ("vector-sets", SETS ("sets.npy") DICTIONARY ("nan.npy")), ASSAY_ERROR_DATA,
    "@: release of kind vector-sets: dictionary: row 2, column 1 is not a finite number" },
  { RELEASE ("vector-sets", SETS ("sets.npy") DICTIONARY ("empty.npy")), ASSAY_ERROR_DATA,
    "@: set of secret 0: member 0 is no row of the dictionary, which has 0" },
  { RELEASE ("vector-sets", SETS ("high.npy") DICTIONARY ("t.npy")), ASSAY_ERROR_DATA,
    "@: set of secret 2: member 4 is no row of the dictionary, which has 4" },
  { RELEASE ("vector-sets", SETS ("negative.npy") DICTIONARY ("t.npy")), ASSAY_ERROR_DATA,
    "@: set of secret 4: member -1 is no row of the dictionary, which has 4" },
  { RELEASE ("vector-sets", SETS ("twice.npy") DICTIONARY ("t.npy")), ASSAY_ERROR_DATA,
    "@: set of secret 2: member 2 stands in it twice" },
};

Test (exchange_refused, releases_that_are_refused)
{
  g_autoptr (AssayRelease) good = NULL;
  guint files;

  make_folder ();
  files = count_files (place) + 1;
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    G_GNUC_UNUSED g_autofree char *path = fixture_write (place, "release.json", refused[i].json);
    g_autoptr (AssayRelease) release = NULL;
    g_autofree char *why = NULL;
    GError *error = NULL;

    release = assay_release_read (place, &error);
    cr_assert (release == NULL, "accepted: %s", refused[i].json);
    cr_assert (fixture_error_is (&error, refused[i].code, refused[i].message, place, &why), "%s",
               why);
    cr_assert (count_files (place) == files, "reading changed the folder");
  }
  g_free (fixture_write (place, "release.json", RELEASE ("subspaces", T B ("b.npy"))));
  good = assay_release_read (place, NULL);
  cr_assert (good != NULL && assay_release_count (good) == 4 && assay_release_cols (good) == 3);
  cr_assert_str_eq (good->defense, "unknown");
}

/* A truth says nothing of norms, and its images fit its secrets. */
Test (exchange_refused, truths_with_a_wrong_geometry_are_refused)
{
  static const char *const texts[]
      = { "\"unit_norm\": true", "\"height\": 2, \"width\": 2, "
                                 "\"channels\": 1, \"black\": 0, \"white\": 255" };
  static const char *const messages[]
      = { "@: truth.json: geometry has a member 'unit_norm', expected height, width, channels, "
          "black, white, order, mean and deviation alone",
          "@: geometry: images of 2 x 2 pixels with 1 channel do not fit rows of 3 columns" };

  make_folder ();
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *json = g_strdup_printf ("{\"format\": \"assay-truth/1\", \"geometry\": {%s}, "
                                             "\"arrays\": {\"secrets\": {\"file\": "
                                             "\"t.npy\"}}}",
                                             texts[i]);
    G_GNUC_UNUSED g_autofree char *path = fixture_write (place, "truth.json", json);
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_assert (assay_truth_read (place, &error) == NULL, "accepted: %s", json);
    cr_assert (fixture_error_is (&error, i == 0 ? ASSAY_ERROR_DATA : ASSAY_ERROR_MISMATCH,
                                 messages[i], place, &why),
               "%s", why);
  }
}

/* Messages that come from below: the file is named, and the code is that of data. */
Test (exchange_refused, files_that_are_broken)
{
  static const char *const cases[][2] = {
    { RELEASE ("vectors", "\"vectors\": {\"file\": \"none.npy\"}"), "none.npy" },
    { RELEASE ("vectors", "\"vectors\": {\"file\": \"cut.npy\"}"), "cut.npy" },
    { RELEASE ("vectors", "\"vectors\": {\"file\": \"release.json\"}"), "release.json" },
    { "{\"format\": ", "release.json" },
    { "", "release.json" },
  };

  make_folder ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    G_GNUC_UNUSED g_autofree char *path = fixture_write (place, "release.json", cases[i][0]);
    g_autoptr (GError) error = NULL;

    cr_assert (assay_release_read (place, &error) == NULL, "accepted: %s", cases[i][0]);
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", error->message);
    cr_assert (strstr (error->message, cases[i][1]) != NULL
                   && strstr (error->message, place) != NULL,
               "%s", error->message);
  }
  cr_assert (assay_truth_read (place, NULL) == NULL
             && assay_guess_read (place, NULL, NULL) == NULL);
}
