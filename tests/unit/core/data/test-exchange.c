/* Releases, guesses and truths as folders: there and back to the bit, and everything refused. */
#include <criterion/criterion.h>
#include <json-glib/json-glib.h>
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

TestSuite (exchange, .init = set_up, .fini = tear_down);

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

/* ---- There and back ---- */

static AssayArray *
numbers (AssayType type, guint n_dimensions, gsize a, gsize b, gsize c)
{
  const gsize shape[] = { a, b, c };
  const gsize count = a * (n_dimensions > 1 ? b : 1) * (n_dimensions > 2 ? c : 1);
  guint8 *data = g_malloc0 (count * assay_type_size (type) + 1);

  for (gsize i = 0; i < count; i++)
    if (type == ASSAY_INT64)
      ((gint64 *) (gpointer) data)[i] = (gint64) i * 1234567890123 - G_MAXINT64 / 2;
    else
      ((float *) (gpointer) data)[i] = (float) i * 0.1f - 1e-30f;
  return assay_array_take (type, n_dimensions, shape, data);
}

/* n subspaces of dimension m along the axes of d dimensions. */
static AssayArray *
axes (gsize n, gsize m, gsize d)
{
  AssayArray *array = numbers (ASSAY_FLOAT32, 3, n, m, d);
  float *values = (float *) (gpointer) array->data;

  for (gsize i = 0; i < n * m * d; i++)
    values[i] = i % d == i / d % m ? 1 : 0;
  return array;
}

/* n sets of w: row i holds i, i + 1, ... modulo k. */
static AssayArray *
sets_of (gsize n, gsize w, gsize k)
{
  AssayArray *array = numbers (ASSAY_INT64, 2, n, w, 0);
  gint64 *members = (gint64 *) (gpointer) array->data;

  for (gsize i = 0; i < n * w; i++)
    members[i] = (gint64) ((i / w + i % w) % k);
  return array;
}

static void
check_same (const AssayArrays *a, const AssayArrays *b)
{
  cr_assert (a->names->len == b->names->len);
  for (guint i = 0; i < a->names->len; i++) {
    const AssayArray *x = a->arrays->pdata[i], *y = assay_arrays_get (b, a->names->pdata[i]);

    cr_assert (y != NULL && x->type == y->type && x->n_dimensions == y->n_dimensions, "%s",
               (char *) a->names->pdata[i]);
    for (guint d = 0; d < x->n_dimensions; d++)
      cr_assert (x->shape[d] == y->shape[d], "%s", (char *) a->names->pdata[i]);
    cr_assert (memcmp (x->data, y->data, assay_array_count (x) * assay_type_size (x->type)) == 0,
               "%s", (char *) a->names->pdata[i]);
  }
}

static void
check_release_round_trip (AssayRelease *release)
{
  g_autoptr (AssayRelease) back = NULL;
  g_autoptr (JsonNode) settings = NULL;
  g_autoptr (JsonNode) expected = json_from_string (release->settings, NULL);
  g_autoptr (GError) error = NULL;

  cr_assert (assay_release_write (release, place, &error), "%s", error->message);
  back = assay_release_read (place, &error);
  cr_assert (back != NULL, "%s", error->message);
  cr_assert (back->kind == release->kind && back->is_unit_norm == release->is_unit_norm);
  cr_assert_str_eq (back->defense, release->defense);
  settings = json_from_string (back->settings, NULL);
  cr_assert (json_node_equal (settings, expected), "%s", back->settings);
  check_same (&release->arrays, &back->arrays);
  cr_assert (count_files (folder) == 1, "something was left beside the folder");
  fixture_remove (place);
}

Test (exchange, releases_come_back)
{
  for (gboolean is_unit_norm = FALSE; is_unit_norm <= TRUE; is_unit_norm++) {
    g_autoptr (AssayRelease) vectors
        = assay_release_new (ASSAY_RELEASE_VECTORS, "a \"b\"\n\xc3\xa9");
    g_autoptr (AssayRelease) subspaces = assay_release_new (ASSAY_RELEASE_SUBSPACES, "x");
    g_autoptr (AssayRelease) sets = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "y");

    vectors->is_unit_norm = subspaces->is_unit_norm = sets->is_unit_norm = is_unit_norm;
    assay_arrays_take (&vectors->arrays, "vectors", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
    check_release_round_trip (vectors);
    g_free (subspaces->settings);
    subspaces->settings = g_strdup ("{\"variant\": \"hybrid\", \"dimension\": 4, \"x\": 0.1}");
    assay_arrays_take (&subspaces->arrays, "translation", numbers (ASSAY_FLOAT32, 2, 5, 6, 0));
    assay_arrays_take (&subspaces->arrays, "basis", axes (5, 2, 6));
    check_release_round_trip (subspaces);
    assay_arrays_take (&sets->arrays, "sets", sets_of (7, 3, 4));
    assay_arrays_take (&sets->arrays, "dictionary", numbers (ASSAY_FLOAT32, 2, 4, 2, 0));
    check_release_round_trip (sets);
    cr_assert (assay_release_count (sets) == 7 && assay_release_cols (sets) == 2);
  }
}

Test (exchange, statistics_come_back)
{
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_STATISTICS, "z");
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_release_check (release, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "release of kind statistics: array 'statistics' is missing", NULL,
                               &why),
             "%s", why);
  assay_arrays_take (&release->arrays, "statistics", numbers (ASSAY_FLOAT32, 2, 1, 9, 0));
  check_release_round_trip (release);
  cr_assert (assay_release_count (release) == 1 && assay_release_cols (release) == 9);
}

Test (exchange, guesses_and_truths_come_back)
{
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess_back = NULL;
  g_autoptr (AssayTruth) truth_back = NULL;

  assay_arrays_take (&guess->arrays, "adversarial", numbers (ASSAY_INT64, 2, 7, 2, 0));
  assay_arrays_take (&guess->arrays, "estimates", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&truth->arrays, "secrets", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&truth->arrays, "groups", numbers (ASSAY_INT64, 1, 7, 0, 0));
  assay_arrays_take (&truth->arrays, "labels", numbers (ASSAY_INT64, 1, 7, 0, 0));
  assay_arrays_take (&truth->arrays, "adversarial", numbers (ASSAY_INT64, 2, 7, 2, 0));
  cr_assert (assay_guess_write (guess, place, NULL));
  guess_back = assay_guess_read (place, NULL);
  check_same (&guess->arrays, &guess_back->arrays);
  fixture_remove (place);
  cr_assert (assay_truth_write (truth, place, NULL));
  truth_back = assay_truth_read (place, NULL);
  check_same (&truth->arrays, &truth_back->arrays);
}

static void
check_same_geometry (const AssayGeometry *a, const AssayGeometry *b)
{
  cr_assert (a->height == b->height && a->width == b->width && a->channels == b->channels);
  cr_assert (a->black == b->black && a->white == b->white, "%g, %g", b->black, b->white);
}

/* To the bit, in releases and truths; without images a truth has no geometry at all. */
Test (exchange, geometry_comes_back)
{
  const AssayGeometry geometry
      = { .height = 3, .width = 2, .channels = 3, .black = -0.1, .white = 1.0 / 3 };
  g_autofree char *text = NULL;
  g_autofree char *file = g_build_filename (place, "truth.json", NULL);
  g_autoptr (AssayRelease) mixtures = assay_release_new (ASSAY_RELEASE_MIXTURES, "m");
  g_autoptr (AssayRelease) mixtures_back = NULL;
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayTruth) with = NULL;
  g_autoptr (AssayTruth) without = NULL;

  assay_arrays_take (&mixtures->arrays, "images", numbers (ASSAY_FLOAT32, 2, 4, 18, 0));
  assay_arrays_take (&mixtures->arrays, "labels", numbers (ASSAY_FLOAT32, 2, 4, 5, 0));
  mixtures->geometry = geometry;
  mixtures->is_unit_norm = TRUE;
  check_release_round_trip (mixtures);
  cr_assert (assay_release_write (mixtures, place, NULL));
  mixtures_back = assay_release_read (place, NULL);
  check_same_geometry (&geometry, &mixtures_back->geometry);
  fixture_remove (place);

  assay_arrays_take (&truth->arrays, "secrets", numbers (ASSAY_FLOAT32, 2, 7, 18, 0));
  cr_assert (assay_truth_write (truth, place, NULL));
  without = assay_truth_read (place, NULL);
  cr_assert (without->geometry.height == 0);
  cr_assert (g_file_get_contents (file, &text, NULL, NULL) && strstr (text, "geometry") == NULL);
  fixture_remove (place);
  truth->geometry = geometry;
  cr_assert (assay_truth_write (truth, place, NULL));
  with = assay_truth_read (place, NULL);
  check_same_geometry (&geometry, &with->geometry);
}

Test (exchange, an_array_of_the_same_name_is_replaced)
{
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  assay_arrays_take (&guess->arrays, "estimates", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&guess->arrays, "estimates", numbers (ASSAY_FLOAT32, 2, 5, 3, 0));
  cr_assert (guess->arrays.names->len == 1);
  cr_assert (assay_arrays_get (&guess->arrays, "estimates")->shape[0] == 5);
  cr_assert (assay_arrays_get (&guess->arrays, "secrets") == NULL);
}

/* ---- Writing that fails leaves nothing ---- */

static void
check_write_error (const char *target, guint files, gint code, const char *message)
{
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autofree char *why = NULL;
  GError *error = NULL;

  assay_arrays_take (&guess->arrays, "estimates", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  cr_assert (!assay_guess_write (guess, target, &error), "%s", message);
  cr_assert (fixture_error_is (&error, code, message, target, &why), "%s", why);
  cr_assert (count_files (folder) == files, "%u files instead of %u", count_files (folder), files);
}

Test (exchange, folders_that_cannot_be_written)
{
  g_autofree char *file = fixture_write (folder, "file", "x");
  g_autofree char *inside = g_build_filename (file, "r", NULL);
  g_autofree char *text = NULL;
  g_autofree char *kept = NULL;
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  g_mkdir (place, 0700);
  kept = fixture_write (place, "kept", "precious");
  check_write_error (place, 2, ASSAY_ERROR_DATA, "@: expected a new or an empty folder");
  cr_assert (g_file_get_contents (kept, &text, NULL, NULL) && g_str_equal (text, "precious")
             && count_files (place) == 1);
  check_write_error (file, 2, ASSAY_ERROR_IO, "@: Not a directory");
  check_write_error (inside, 2, ASSAY_ERROR_IO, "@: cannot create the folder: Not a directory");
  /* An empty one is filled, and parents are made. */
  g_unlink (kept);
  assay_arrays_take (&guess->arrays, "estimates", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  cr_assert (assay_guess_write (guess, place, NULL) && count_files (place) == 2);
  g_free (inside);
  inside = g_build_filename (folder, "a", "b", "c", NULL);
  cr_assert (assay_guess_write (guess, inside, NULL) && count_files (inside) == 2);
}

/* ---- Reading refuses ---- */

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
  AssayArray *bad = axes (4, 2, 3), *nan = numbers (ASSAY_FLOAT32, 2, 4, 3, 0);
  AssayArray *twice = sets_of (5, 3, 4), *negative = sets_of (5, 3, 4);
  g_autofree char *whole = NULL;
  g_autofree char *path = g_build_filename (place, "t.npy", NULL);
  g_autofree char *cut = g_build_filename (place, "cut.npy", NULL);
  G_GNUC_UNUSED g_autofree char *outside = g_build_filename (folder, "out.npy", NULL);
  gsize length;

  g_mkdir (place, 0700);
  write_array ("t.npy", numbers (ASSAY_FLOAT32, 2, 4, 3, 0));
  write_array ("../out.npy", numbers (ASSAY_FLOAT32, 2, 4, 3, 0));
  write_array ("b.npy", axes (4, 2, 3));
  write_array ("five.npy", axes (5, 2, 3));
  write_array ("wide.npy", axes (4, 2, 6));
  write_array ("deep.npy", axes (4, 4, 3));
  write_array ("ints.npy", numbers (ASSAY_INT64, 2, 4, 3, 0));
  write_array ("empty.npy", numbers (ASSAY_FLOAT32, 2, 0, 3, 0));
  ((float *) (gpointer) bad->data)[2 * 6 + 3] = 0.01f; /* secret 2: (1 0 0), (.01 1 0) */
  write_array ("bad.npy", bad);
  ((float *) (gpointer) nan->data)[7] = NAN;
  write_array ("nan.npy", nan);
  write_array ("sets.npy", sets_of (5, 3, 4));
  write_array ("high.npy", sets_of (5, 3, 5)); /* the dictionary t.npy has 4 rows */
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
    "statistics, mixtures or codes" },
  { "{\"format\": \"assay-release/1\", \"kind\": 3, \"arrays\": {}}", ASSAY_ERROR_DATA,
    "@: release.json: kind is '', expected vectors, subspaces, vector-sets, "
    "statistics, mixtures or codes" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\"}", ASSAY_ERROR_DATA,
    "@: expected an object 'arrays'" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"arrays\": []}", ASSAY_ERROR_DATA,
    "@: expected an object 'arrays'" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometry\": {\"unit_norm\": 1}}",
    ASSAY_ERROR_DATA, "@: release.json: geometry: expected unit_norm to be true or false" },
  { "{\"format\": \"assay-release/1\", \"kind\": \"vectors\", \"geometry\": {\"unit\": true}}",
    ASSAY_ERROR_DATA,
    "@: release.json: geometry has a member 'unit', expected unit_norm, height, width, channels, "
    "black and white alone" },
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
    "@: geometry: images of 2 x 3 pixels with 1 channels do not fit rows of 3 columns" },
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
    "@: release of kind subspaces: has arrays that it does not know" },
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
  { RELEASE ("vectors", "\"vectors\": {\"file\": \"ints.npy\"}"), ASSAY_ERROR_MISMATCH,
    "@: release of kind vectors: array 'vectors': expected float32 of 2 dimensions, found int64 "
    "4 x 3" },
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

Test (exchange, releases_that_are_refused)
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
Test (exchange, truths_with_a_wrong_geometry_are_refused)
{
  static const char *const texts[]
      = { "\"unit_norm\": true", "\"height\": 2, \"width\": 2, "
                                 "\"channels\": 1, \"black\": 0, \"white\": 255" };
  static const char *const messages[]
      = { "@: truth.json: geometry has a member 'unit_norm', expected height, width, channels, "
          "black and white alone",
          "@: geometry: images of 2 x 2 pixels with 1 channels do not fit rows of 3 columns" };

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
Test (exchange, files_that_are_broken)
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
  cr_assert (assay_truth_read (place, NULL) == NULL && assay_guess_read (place, NULL) == NULL);
}

/* A truth without secrets, and groups of another number. */
Test (exchange, truths_and_guesses_are_checked)
{
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_truth_check (truth, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, "truth: array 'secrets' is missing",
                               NULL, &why),
             "%s", why);
  g_clear_pointer (&why, g_free);
  assay_arrays_take (&truth->arrays, "secrets", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&truth->arrays, "groups", numbers (ASSAY_INT64, 1, 6, 0, 0));
  cr_assert (!assay_truth_check (truth, &error));
  cr_assert (fixture_error_is (
                 &error, ASSAY_ERROR_MISMATCH,
                 "truth: array 'groups' is int64 6, but n = 7 by the arrays before it", NULL, &why),
             "%s", why);
  g_clear_pointer (&why, g_free);
  {
    static const gint64 owners[] = { 6, -1, 0, 7 };
    const gsize n = G_N_ELEMENTS (owners);

    assay_arrays_take (&truth->arrays, "groups", numbers (ASSAY_INT64, 1, 7, 0, 0));
    assay_arrays_take (&truth->arrays, "owners",
                       assay_array_take (ASSAY_INT64, 1, &n, g_memdup2 (owners, sizeof owners)));
    cr_assert (!assay_truth_check (truth, &error));
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                                 "truth: array 'owners' names secret 7, but there are 7", NULL,
                                 &why),
               "%s", why);
    g_clear_pointer (&why, g_free);
  }
  cr_assert (assay_guess_check (guess, NULL), "a guess may hold nothing");
  assay_arrays_take (&guess->arrays, "estimates", numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&guess->arrays, "adversarial", numbers (ASSAY_INT64, 2, 8, 2, 0));
  cr_assert (!assay_guess_check (guess, &error));
  cr_assert (
      fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                        "guess: array 'adversarial' is int64 8 x 2, but n = 7 by the arrays before "
                        "it",
                        NULL, &why),
      "%s", why);
}

Test (exchange, kinds_have_names)
{
  g_autofree char *all = assay_release_kinds_describe (G_MAXUINT);

  cr_assert_str_eq (all, "vectors, subspaces, vector-sets, statistics, mixtures or codes");
  for (guint kind = 1; kind <= ASSAY_RELEASE_MIXTURES; kind *= 2)
    cr_assert (assay_release_kind_from_name (assay_release_kind_name ((AssayReleaseKind) kind))
               == (AssayReleaseKind) kind);
  cr_assert (assay_release_kind_from_name ("none") == ASSAY_RELEASE_NONE);
  for (guint i = 0; (1u << i) <= ASSAY_RELEASE_ANY; i++)
    cr_assert_str_eq (assay_release_kinds[i],
                      assay_release_kind_name ((AssayReleaseKind) (1u << i)));
  cr_assert_eq (g_strv_length ((char **) assay_release_kinds), 6);
}
