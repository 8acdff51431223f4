/* Releases, guesses and truths: as folders there and back to the bit, and their checks. */
#include <criterion/criterion.h>
#include <json-glib/json-glib.h>
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

/* What an attack might declare that it writes. */
static const AssayArraySpec written[]
    = { { "adversarial", "na", ASSAY_INT64, TRUE, 0 }, { .name = NULL } };
static const AssayArraySpec *const lists[] = { written, NULL };

/* ---- There and back ---- */

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
    assay_arrays_take (&vectors->arrays, "vectors", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
    check_release_round_trip (vectors);
    g_free (subspaces->settings);
    subspaces->settings = g_strdup ("{\"variant\": \"hybrid\", \"dimension\": 4, \"x\": 0.1, "
                                  "\"large\": [1e92, -1E+300, 3, true, null, {}]}");
    assay_arrays_take (&subspaces->arrays, "translation",
                       fixture_numbers (ASSAY_FLOAT32, 2, 5, 6, 0));
    assay_arrays_take (&subspaces->arrays, "basis", fixture_axes (5, 2, 6));
    check_release_round_trip (subspaces);
    assay_arrays_take (&sets->arrays, "sets", fixture_sets (7, 3, 4));
    assay_arrays_take (&sets->arrays, "dictionary", fixture_numbers (ASSAY_FLOAT32, 2, 4, 2, 0));
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
  assay_arrays_take (&release->arrays, "statistics", fixture_numbers (ASSAY_FLOAT32, 2, 1, 9, 0));
  check_release_round_trip (release);
  cr_assert (assay_release_count (release) == 1 && assay_release_cols (release) == 9);
}

Test (exchange, guesses_and_truths_come_back)
{
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess_back = NULL;
  g_autoptr (AssayTruth) truth_back = NULL;

  assay_arrays_take (&guess->arrays, "adversarial", fixture_numbers (ASSAY_INT64, 2, 7, 2, 0));
  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&truth->arrays, "secrets", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&truth->arrays, "groups", fixture_numbers (ASSAY_INT64, 1, 7, 0, 0));
  assay_arrays_take (&truth->arrays, "labels", fixture_numbers (ASSAY_INT64, 1, 7, 0, 0));
  assay_arrays_take (&truth->arrays, "adversarial", fixture_numbers (ASSAY_INT64, 2, 7, 2, 0));
  cr_assert (assay_guess_write (guess, place, NULL));
  guess_back = assay_guess_read (place, lists, NULL);
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
  AssayArray *labels = fixture_numbers (ASSAY_FLOAT32, 2, 4, 5, 0);
  g_autoptr (AssayRelease) mixtures = assay_release_new (ASSAY_RELEASE_MIXTURES, "m");
  g_autoptr (AssayRelease) mixtures_back = NULL;
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayTruth) with = NULL;
  g_autoptr (AssayTruth) without = NULL;

  assay_arrays_take (&mixtures->arrays, "images", fixture_numbers (ASSAY_FLOAT32, 2, 4, 18, 0));
  assay_arrays_take (&mixtures->arrays, "labels", labels);
  for (gsize i = 0; i < 20; i++)
    ((float *) (gpointer) labels->data)[i] = (float) (i % 5) / 10;
  mixtures->geometry = geometry;
  mixtures->is_unit_norm = TRUE;
  check_release_round_trip (mixtures);
  cr_assert (assay_release_write (mixtures, place, NULL));
  mixtures_back = assay_release_read (place, NULL);
  check_same_geometry (&geometry, &mixtures_back->geometry);
  fixture_remove (place);

  assay_arrays_take (&truth->arrays, "secrets", fixture_numbers (ASSAY_FLOAT32, 2, 7, 18, 0));
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

  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 5, 3, 0));
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

  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
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
  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  cr_assert (assay_guess_write (guess, place, NULL) && count_files (place) == 2);
  g_free (inside);
  inside = g_build_filename (folder, "a", "b", "c", NULL);
  cr_assert (assay_guess_write (guess, inside, NULL) && count_files (inside) == 2);
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
  assay_arrays_take (&truth->arrays, "secrets", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&truth->arrays, "groups", fixture_numbers (ASSAY_INT64, 1, 6, 0, 0));
  cr_assert (!assay_truth_check (truth, &error));
  cr_assert (fixture_error_is (
                 &error, ASSAY_ERROR_MISMATCH,
                 "truth: array 'groups' is int64 6, but n = 7 by the arrays before it", NULL, &why),
             "%s", why);
  g_clear_pointer (&why, g_free);
  {
    static const gint64 owners[] = { 6, -1, 0, 7 };
    const gsize n = G_N_ELEMENTS (owners);

    assay_arrays_take (&truth->arrays, "groups", fixture_numbers (ASSAY_INT64, 1, 7, 0, 0));
    assay_arrays_take (&truth->arrays, "owners",
                       assay_array_take (ASSAY_INT64, 1, &n, g_memdup2 (owners, sizeof owners)));
    cr_assert (!assay_truth_check (truth, &error));
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                                 "truth: array 'owners' names secret 7, but there are 7", NULL,
                                 &why),
               "%s", why);
    g_clear_pointer (&why, g_free);
  }
  cr_assert (assay_guess_check (guess, lists, NULL), "a guess may hold nothing");
  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 7, 3, 0));
  assay_arrays_take (&guess->arrays, "adversarial", fixture_numbers (ASSAY_INT64, 2, 8, 2, 0));
  cr_assert (!assay_guess_check (guess, lists, &error));
  cr_assert (
      fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                        "guess: array 'adversarial' is int64 8 x 2, but n = 7 by the arrays before "
                        "it",
                        NULL, &why),
      "%s", why);
}

/* Letters of one list mean nothing in another, apart from n, N and d. */
Test (exchange, arrays_of_guesses_are_those_that_are_declared)
{
  static const AssayArraySpec others[]
      = { { "near", "nrd", ASSAY_FLOAT32, TRUE, 0 }, { .name = NULL } };
  static const AssayArraySpec found[]
      = { { "recall", "qr", ASSAY_INT64, TRUE, 0 }, { .name = NULL } };
  static const AssayArraySpec *const both[] = { others, found, NULL };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autofree char *why = NULL;
  GError *error = NULL;

  assay_arrays_take (&guess->arrays, "near", fixture_numbers (ASSAY_FLOAT32, 3, 7, 50, 3));
  assay_arrays_take (&guess->arrays, "recall", fixture_numbers (ASSAY_INT64, 2, 4, 3, 0));
  cr_assert (assay_guess_check (guess, both, NULL));
  cr_assert (!assay_guess_check (guess, NULL, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "guess: unknown array 'near'; expected estimates, candidates, "
                               "pairs, scores, codes, class-scores, prior, attribute, threshold, "
                               "member-scores, cross-scores, edge-scores, edge-pairs", NULL,
                               &why),
             "%s", why);
  g_clear_pointer (&why, g_free);
  assay_arrays_take (&guess->arrays, "estimates", fixture_numbers (ASSAY_FLOAT32, 2, 7, 4, 0));
  cr_assert (!assay_guess_check (guess, both, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "guess: array 'near' is float32 7 x 50 x 3, but d = 4 by the arrays "
                               "before it",
                               NULL, &why),
             "%s", why);
}

Test (exchange, kinds_have_names)
{
  g_autofree char *all = assay_release_kinds_describe (G_MAXUINT);

  cr_assert_str_eq (all, "vectors, subspaces, vector-sets, statistics, mixtures, codes, updates, "
                         "graph, paired-codes, gradients or network");
  for (guint kind = 1; kind <= ASSAY_RELEASE_UPDATES; kind *= 2)
    cr_assert (assay_release_kind_from_name (assay_release_kind_name ((AssayReleaseKind) kind))
               == (AssayReleaseKind) kind);
  cr_assert (assay_release_kind_from_name ("none") == ASSAY_RELEASE_NONE);
  for (guint i = 0; (1u << i) <= ASSAY_RELEASE_ANY; i++)
    cr_assert_str_eq (assay_release_kinds[i],
                      assay_release_kind_name ((AssayReleaseKind) (1u << i)));
  cr_assert_eq (g_strv_length ((char **) assay_release_kinds), ASSAY_N_KINDS);
}

/* Shares of classes: 0.6 and 0.4 of 1 are; what is negative, more than 1 or no number is not. */
Test (exchange, labels_of_mixtures_are_shares)
{
  static const struct {
    float value;
    const char *message; /* NULL: accepted */
  } cases[] = {
    { 0.6f, NULL },
    { 0.6001f, NULL },
    { -0.1f, "array 'labels': mixture 2 has the share -0.1 of class 1; expected shares of classes, "
             "0 or more" },
    { 1.8f, "array 'labels': the shares of mixture 2 sum to 2.2; expected shares of classes, 1 or "
            "less in all" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_MIXTURES, "m");
    AssayArray *labels = fixture_numbers (ASSAY_FLOAT32, 2, 4, 3, 0);
    float *values = (float *) (gpointer) labels->data;
    GError *error = NULL;
    char *why = NULL;

    memset (values, 0, 12 * sizeof *values);
    values[2 * 3 + 1] = cases[i].value;
    values[2 * 3 + 2] = 0.4f;
    assay_arrays_take (&release->arrays, "images", fixture_numbers (ASSAY_FLOAT32, 2, 4, 18, 0));
    assay_arrays_take (&release->arrays, "labels", labels);
    cr_assert_eq (assay_release_check (release, &error), cases[i].message == NULL, "case %zu", i);
    cr_assert (cases[i].message == NULL
                   || fixture_error_is (&error, ASSAY_ERROR_DATA, cases[i].message, NULL, &why),
               "%s", why);
  }
}
