/* What an attacker who may run the defense gets: rows of their own beside their release, fresh in
 * each run but for a key that was granted, the same whatever the number of threads. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/npy.h"
#include "runner/plan/planner.h"
#include "runner/run/workspace.h"
#include "tests/reference/fixtures.h"

enum { PRIVATE = 40, SECRETS = 20, PUBLIC = 100, COLS = 6 };

#define DATA                                                                                       \
  "[scenario]\ntitle = T\nseed = 3\n"                                                              \
  "[dataset]\nplugin = vectors\nprivate = private.npy\npublic = public.npy\nsecrets = 20\n"
#define ROTATION "[defense d]\nplugin = random-rotation\n"
#define NOISY ROTATION "noise = 0.5\n"
#define CODES "[defense d]\nplugin = phashing\nbase = itq\nbits = 5\nepsilon = 20\n"
#define ATTACK "[attack a]\nplugin = exec\ncommand = true\n"
#define CODE_ATTACK "[attack a]\nplugin = exec\ncommand = true\n"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", PRIVATE, COLS, PRIVATE);
  fixture_write_normal (folder, "public.npy", PUBLIC, COLS, PUBLIC);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (own_pairs, .init = set_up, .fini = tear_down);

static AssayPlan *
plan_of (const char *text, GError **error)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  const AssayPlanOptions options = { 0 };

  return assay_plan_new (path, &options, error);
}

/* What the first attack of the scenario is granted. */
typedef struct {
  AssayPlan *plan;
  AssayWorkspace *workspace;
  AssayJob job;
  AssayGranted granted;
} Case;

static gboolean
grant (const char *text, Case *ret_case, GError **error)
{
  const AssayCell *cell;

  ret_case->plan = plan_of (text, error);
  if (ret_case->plan == NULL)
    return FALSE;
  ret_case->workspace = assay_workspace_new (ret_case->plan);
  cell = assay_plan_cell (ret_case->plan, 0);
  return assay_workspace_cell (ret_case->workspace, cell, &ret_case->job, error)
         && assay_workspace_grant (ret_case->workspace, cell,
                                   assay_plan_attack (ret_case->plan, cell)->settings, FALSE,
                                   &ret_case->granted, error);
}

static void
clear (Case *c)
{
  g_clear_pointer (&c->workspace, assay_workspace_free);
  g_clear_pointer (&c->plan, assay_plan_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, clear)

#define granted_of(text, c)                                                                        \
  do {                                                                                             \
    g_autoptr (GError) problem = NULL;                                                             \
    cr_assert (grant (text, c, &problem), "%s", problem != NULL ? problem->message : "");          \
  } while (0)

static AssayView
array_of (const AssayRelease *release, const char *name)
{
  return assay_array_view (assay_arrays_get (&release->arrays, name));
}

/* The largest error of rows x Q' against vectors, where Q was learned from the first COLS of the
 * rows by solving for it. */
static double
rotation_error (AssayView from_rows, AssayView from_vectors, AssayView rows, AssayView vectors)
{
  double a[COLS * COLS], b[COLS * COLS], worst = 0;

  /* Gauss-Jordan of [X | Y], whose right half becomes Q'. */
  for (gsize i = 0; i < COLS; i++)
    for (gsize j = 0; j < COLS; j++) {
      a[i * COLS + j] = (double) assay_view_row (from_rows, i)[j];
      b[i * COLS + j] = (double) assay_view_row (from_vectors, i)[j];
    }
  for (gsize p = 0; p < COLS; p++) {
    gsize best = p;

    for (gsize i = p; i < COLS; i++)
      if (fabs (a[i * COLS + p]) > fabs (a[best * COLS + p]))
        best = i;
    for (gsize j = 0; j < COLS; j++) {
      const double s = a[p * COLS + j], t = b[p * COLS + j];

      a[p * COLS + j] = a[best * COLS + j];
      a[best * COLS + j] = s;
      b[p * COLS + j] = b[best * COLS + j];
      b[best * COLS + j] = t;
    }
    for (gsize i = 0; i < COLS; i++) {
      const double factor = i == p ? 0 : a[i * COLS + p] / a[p * COLS + p];

      for (gsize j = 0; factor != 0 && j < COLS; j++) {
        a[i * COLS + j] -= factor * a[p * COLS + j];
        b[i * COLS + j] -= factor * b[p * COLS + j];
      }
    }
  }
  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < COLS; j++) {
      double sum = 0;

      for (gsize k = 0; k < COLS; k++)
        sum += (double) assay_view_row (rows, i)[k] * b[k * COLS + j] / a[k * COLS + k];
      worst = MAX (worst, fabs (sum - (double) assay_view_row (vectors, i)[j]));
    }
  return worst;
}

static double
error_between (const Case *c, guint from, guint to)
{
  const AssayOwnRelease *first = assay_pairs_get (c->granted.pairs, from);
  const AssayOwnRelease *second = assay_pairs_get (c->granted.pairs, to);

  return rotation_error (assay_own_rows (first), array_of (first->release, "vectors"),
                         assay_own_rows (second), array_of (second->release, "vectors"));
}

static double
error_on_secrets (const Case *c)
{
  const AssayOwnRelease *first = assay_pairs_get (c->granted.pairs, 0);
  const AssayArray *secrets = assay_arrays_get (&c->job.truth->arrays, "secrets");

  return rotation_error (assay_own_rows (first), array_of (first->release, "vectors"),
                         assay_array_view (secrets), array_of (c->job.release, "vectors"));
}

Test (own_pairs, every_run_has_a_key_of_its_own)
{
  g_auto (Case) c = { 0 };

  granted_of (DATA ROTATION ATTACK "grants = public; other-releases; mechanism\n", &c);
  cr_assert (!c.granted.pairs->has_key && !assay_shadow_has_key (c.granted.shadow));
  cr_assert_eq (c.granted.pairs->releases->len, PUBLIC / SECRETS);
  cr_assert_eq (assay_pairs_count (c.granted.pairs), PUBLIC);
  cr_assert_eq (assay_shadow_left (c.granted.shadow), 20 - PUBLIC / SECRETS);
  cr_assert_eq (assay_shadow_secrets (c.granted.shadow), SECRETS);
  cr_assert_lt (error_between (&c, 0, 0), 1e-4); /* within a run there is one rotation ... */
  cr_assert_gt (error_between (&c, 0, 1), 0.5);  /* ... of which another run knows nothing */
  cr_assert_gt (error_on_secrets (&c), 0.5);
}

Test (own_pairs, the_key_is_that_of_the_release_where_it_is_granted)
{
  g_auto (Case) c = { 0 };

  granted_of (DATA ROTATION ATTACK "grants = public; other-releases; mechanism; key\n", &c);
  cr_assert (c.granted.pairs->has_key);
  cr_assert_lt (error_between (&c, 0, 1), 1e-4);
  cr_assert_lt (error_on_secrets (&c), 1e-4);
}

/* The same public rows: released once in a pair, and once more by hand. */
Test (own_pairs, noise_is_fresh_whether_or_not_the_key_is_known)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayOwnRelease) again = NULL;
  const AssayOwnRelease *first;
  AssayView a, b;
  double squares = 0;

  granted_of (DATA NOISY ATTACK "grants = public; other-releases; mechanism; key\n", &c);
  first = assay_pairs_get (c.granted.pairs, 0);
  again = assay_shadow_run (c.granted.shadow, 0, &(AssayOwnRows){ .rows = assay_own_rows (first) },
                            NULL);
  a = array_of (first->release, "vectors");
  b = array_of (again->release, "vectors");
  for (gsize i = 0; i < a.rows * a.cols; i++)
    squares += pow ((double) a.data[i] - (double) b.data[i], 2);
  /* Twice the variance of the noise: 2 x .25 on n = 120 numbers, whose deviation is .065. */
  cr_assert_float_eq (squares / (double) (a.rows * a.cols), 0.5, 0.26);
}

/* The hash function of the release codes the attacker's rows, where it is granted. */
Test (own_pairs, a_granted_hash_function_is_the_release_s)
{
  static const char *const grants[] = { "mechanism", "mechanism; hash-function", "mechanism; key" };

  for (guint g = 0; g < 3; g++) {
    g_autofree char *text = g_strdup_printf (
        DATA CODES CODE_ATTACK "grants = public; other-releases; %s\n", grants[g]);
    g_auto (Case) c = { 0 };
    const AssayOwnRelease *own;
    g_autoptr (AssayOwnRelease) secrets = NULL;
    const AssayArray *released, *mine;
    gsize differing = 0;

    granted_of (text, &c);
    own = assay_pairs_get (c.granted.pairs, 0);
    cr_assert_eq (c.granted.pairs->has_key, g > 0);
    /* The attacker sees the function in runs of their own as in the release: where granted. */
    cr_assert_eq (assay_arrays_get (&own->release->arrays, "projection") != NULL, g == 1);
    /* A test may run it on the secrets: flips are rare, so that codes tell the function. */
    secrets = assay_shadow_run (c.granted.shadow, 0,
                                &(AssayOwnRows){ .rows = assay_array_view (assay_arrays_get (
                                                     &c.job.truth->arrays, "secrets")) },
                                NULL);
    released = assay_arrays_get (&c.job.release->arrays, "codes");
    mine = assay_arrays_get (&secrets->release->arrays, "codes");
    for (gsize i = 0; i < SECRETS; i++)
      differing += released->data[i] != mine->data[i];
    if (g == 0)
      cr_assert (!c.granted.pairs->has_key);
    else
      cr_assert_eq (differing, 0, "%s", grants[g]);
  }
}

Test (own_pairs, the_same_on_any_number_of_threads)
{
  const char *text = DATA NOISY ATTACK "grants = public; other-releases; mechanism\n";
  g_auto (Case) one = { 0 };
  g_auto (Case) three = { 0 };

  assay_parallel_set_threads (1);
  granted_of (text, &one);
  assay_parallel_set_threads (3);
  granted_of (text, &three);
  for (guint r = 0; r < one.granted.pairs->releases->len; r++) {
    const AssayOwnRelease *a = assay_pairs_get (one.granted.pairs, r);
    const AssayOwnRelease *b = assay_pairs_get (three.granted.pairs, r);
    const AssayView vectors = array_of (a->release, "vectors");

    cr_assert_eq (memcmp (vectors.data, array_of (b->release, "vectors").data,
                          vectors.rows * vectors.cols * sizeof (float)),
                  0);
    cr_assert_eq (memcmp (a->numbers, b->numbers, vectors.rows * sizeof (gsize)), 0);
  }
}

Test (own_pairs, runs_are_counted)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayMatrix) rows = fixture_normal (4, COLS, 9);
  const AssayOwnRows own = { .rows = assay_matrix_view (rows) };
  g_autoptr (GError) error = NULL;

  granted_of (DATA ROTATION ATTACK "grants = public; other-releases; mechanism\n"
                                   "mechanism_runs = 3\nmechanism_rows = 12\n",
              &c);
  cr_assert_eq (assay_pairs_count (c.granted.pairs), 12);
  cr_assert_eq (c.granted.pairs->releases->len, 2);
  cr_assert_eq (assay_shadow_left (c.granted.shadow), 1);
  assay_own_release_free (assay_shadow_run (c.granted.shadow, 0, &own, NULL));
  cr_assert_null (assay_shadow_run (c.granted.shadow, 1, &own, &error));
  cr_assert_str_eq (error->message, "all 3 runs of the defense that the attacker may make are "
                                    "spent; expected more mechanism_runs");
}

/* ---- Labels ---- */

/* Labels of rows 0 .. @rows - 1: three classes, each file from another of them on. */
static gint64
label_of (gsize row, gsize first)
{
  return (gint64) ((row + first) % 3);
}

static void
write_labels (const char *name, gsize rows, gsize first)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  gint64 *labels = g_new (gint64, rows);
  g_autoptr (AssayArray) array = assay_array_take (ASSAY_INT64, 1, &rows, labels);

  for (gsize i = 0; i < rows; i++)
    labels[i] = label_of (i, first);
  cr_assert (assay_npy_write (path, array, NULL));
}

/* Runs that the attacker makes by row numbers have the labels of these rows: what supervised
 * hashing learns from. */
Test (own_pairs, runs_by_number_know_the_labels_of_their_rows)
{
  enum { RECORDS = 7, OWN = 12 };
  g_auto (Case) c = { 0 };
  gsize numbers[OWN];
  const AssayRows *records;
  g_autoptr (AssayMatrix) rows = assay_matrix_new (OWN, COLS, NULL);
  g_autoptr (AssayOwnRelease) public_ones = NULL;
  g_autoptr (AssayOwnRelease) mixed = NULL;
  const gint64 *labels;

  write_labels ("private-labels.npy", PRIVATE, 0);
  write_labels ("public-labels.npy", PUBLIC, 1);
  granted_of (DATA "labels = private-labels.npy\npublic_labels = public-labels.npy\n" NOISY
                   "[attack a]\nplugin = membership\ngrants = public; mechanism\n",
              &c);
  for (gsize i = 0; i < OWN; i++)
    numbers[i] = i < RECORDS ? i : 5 * i;
  public_ones = assay_shadow_run (
      c.granted.shadow, 0, &(AssayOwnRows){ .rows = assay_matrix_view (rows), .numbers = numbers },
      NULL);
  labels = assay_array_int64 (assay_arrays_get (&public_ones->known, "labels"));
  for (gsize i = 0; i < OWN; i++)
    cr_assert_eq (labels[i], label_of (numbers[i], 1), "%zu", i);

  mixed = assay_shadow_run (c.granted.shadow, 1,
                            &(AssayOwnRows){ .rows = assay_matrix_view (rows),
                                             .numbers = numbers,
                                             .n_records = RECORDS },
                            NULL);
  labels = assay_array_int64 (assay_arrays_get (&mixed->known, "labels"));
  cr_assert_null (mixed->numbers);
  records = c.granted.records;
  for (gsize i = 0; i < OWN; i++)
    if (i >= RECORDS)
      cr_assert_eq (labels[i], label_of (numbers[i], 1), "%zu", i);
  /* A record is told by its numbers among the rows of the file, whose labels are known. */
  for (gsize i = 0; i < RECORDS; i++) {
    g_autoptr (AssayMatrix) pool = fixture_normal (PRIVATE, COLS, PRIVATE);
    float record[COLS];
    gsize found = PRIVATE;

    assay_rows_gather (records, &i, 1, ASSAY_SCALE_NONE, record);
    for (gsize j = 0; j < PRIVATE; j++)
      if (memcmp (assay_matrix_row (pool, j), record, sizeof record) == 0)
        found = j;
    cr_assert_lt (found, PRIVATE);
    cr_assert_eq (labels[i], label_of (found, 0), "%zu", i);
  }
}

/* ---- What is refused ---- */

static void
check_refused (const char *text, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_auto (Case) c = { 0 };

  cr_assert (!grant (text, &c, &error), "not refused: %s", text);
  cr_assert (strstr (error->message, message) != NULL, "%s\nhas not: %s", error->message, message);
}

Test (own_pairs, contradictions_are_refused)
{
  check_refused (DATA ROTATION ATTACK "grants = other-releases; mechanism\n",
                 "grants 'mechanism', which is run on public rows; expected grants = public; "
                 "mechanism");
  check_refused (DATA ROTATION ATTACK "grants = public; other-releases; key\n",
                 "grants 'key', which is of use to who runs the defense");
  check_refused (DATA ROTATION ATTACK "grants = public; other-releases; mechanism\n"
                                      "mechanism_runs = 1\n",
                 "mechanism_runs = 1: every run draws a key of its own");
  check_refused (DATA ROTATION ATTACK "grants = other-releases\nmechanism_rows = 10\n",
                 "mechanism_rows: the attacker may not run the defense");
  check_refused (DATA ROTATION ATTACK "grants = public; other-releases; mechanism\n"
                                      "mechanism_time = soon\n",
                 "mechanism_time = 'soon': expected seconds");
  check_refused (DATA ROTATION "[attack a]\nplugin = verbatim\npairs = somewhere\n",
                 "attack 'verbatim' learns from no pairs");
  check_refused (DATA ROTATION ATTACK "grants = other-releases\npairs = nowhere\n",
                 "pairs: there is no folder 'nowhere'; looked for");
}

Test (own_pairs, what_was_made_elsewhere_cannot_be_run)
{
  g_autofree char *path = g_build_filename (folder, "release", NULL);
  g_autoptr (AssayMatrix) rows = fixture_normal (SECRETS, COLS, 5);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTORS, "x");

  assay_arrays_take_matrix (&release->arrays, "vectors", &rows);
  cr_assert (assay_release_write (release, path, NULL));
  check_refused (DATA "order = file\n[defense d]\nplugin = release-folder\nfolder = release\n"
                      "produces = vectors\n" ATTACK "grants = public; other-releases; mechanism\n",
                 "'release-folder' is an external release; expected pairs = FOLDER");
}

/* ---- Pairs in a folder ---- */

static void
write_pairs (const AssayMatrix *rows, const AssayMatrix *vectors)
{
  g_autofree char *path = g_build_filename (folder, "pairs", "0", NULL);
  g_autofree char *release_path = g_build_filename (path, "release", NULL);
  g_autofree char *truth_path = g_build_filename (path, "truth", NULL);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTORS, "x");
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  assay_arrays_take (
      &release->arrays, "vectors",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (vectors), NULL)));
  assay_arrays_take (&truth->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (rows), NULL)));
  cr_assert_eq (g_mkdir_with_parents (path, 0777), 0);
  cr_assert (assay_release_write (release, release_path, NULL));
  cr_assert (assay_truth_write (truth, truth_path, NULL));
}

#define FROM_FOLDER DATA "order = file\n" ROTATION ATTACK "grants = other-releases\npairs = pairs\n"

Test (own_pairs, pairs_are_read_from_a_folder)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (9, COLS, 5);
  g_auto (Case) c = { 0 };

  write_pairs (rows, rows);
  granted_of (FROM_FOLDER, &c);
  cr_assert (c.granted.shadow == NULL && c.granted.pairs->has_key);
  cr_assert_eq (assay_pairs_count (c.granted.pairs), 9);
  cr_assert (assay_pairs_check (c.granted.pairs, c.job.release, NULL));
}

Test (own_pairs, pairs_that_do_not_fit_are_refused)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (9, COLS, 5);
  g_autoptr (AssayMatrix) fewer = fixture_normal (8, COLS, 5);

  write_pairs (rows, fewer);
  check_refused (FROM_FOLDER, "the release has 8 items, and the truth 9 secrets; expected a secret "
                              "for each item, in its order");
}

Test (own_pairs, pairs_of_secrets_under_attack_are_refused)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (PRIVATE, COLS, PRIVATE);

  write_pairs (rows, rows);
  check_refused (FROM_FOLDER,
                 "pairs: row 0 of release 0 is secret 0 under attack; expected rows of "
                 "other people");
}

Test (own_pairs, pairs_of_other_widths_are_refused)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (9, COLS, 5);
  g_autoptr (AssayMatrix) wide = fixture_normal (9, COLS + 1, 5);
  g_autoptr (GError) error = NULL;
  g_auto (Case) c = { 0 };

  write_pairs (rows, wide);
  granted_of (FROM_FOLDER, &c);
  cr_assert (!assay_pairs_check (c.granted.pairs, c.job.release, &error));
  cr_assert_str_eq (error->message,
                    "pairs: release 0: an item has 7 numbers, but one of the release "
                    "under attack 6");
}
