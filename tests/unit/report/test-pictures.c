/* Contact sheets: which pictures are made and kept, and how they stand in the file. */
#include <criterion/criterion.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gstdio.h>
#include <string.h>

#include "report/report.h"
#include "runner/judge/load.h"
#include "runner/plan/planner.h"
#include "runner/run/run.h"
#include "runner/run/show.h"
#include "runner/store/outcomes.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (pictures, .init = set_up, .fini = tear_down);

/* ---- A run with a metric that only notes what it was asked for ---- */

#define SECRETS 5
#define GREY_OF_ORIGINAL 10
#define GREY_OF_GUESS 100

/* Unit 1 has no recovered picture. */
static gboolean
show (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
      gsize unit, AssayPictures *ret_pictures, GError **error)
{
  (void) context;
  cr_assert (assay_arrays_get (&truth->arrays, "secrets") != NULL);
  cr_assert (assay_arrays_get (&guess->arrays, "estimates") != NULL);
  cr_assert (unit < SECRETS, "unit %zu", unit);
  ret_pictures->original = assay_photo_new (2, 1, 1, error);
  ret_pictures->original->data[0] = (float) (GREY_OF_ORIGINAL + unit);
  if (unit != 1) {
    ret_pictures->recovered = assay_photo_new (2, 1, 1, error);
    ret_pictures->recovered->data[0] = (float) (GREY_OF_GUESS + unit);
  }
  return TRUE;
}

#define SCENARIO                                                                                   \
  "[scenario]\ntrials = 2\n[dataset]\nplugin = shapes\nprivate_images = 10\npublic_images = 4\n"   \
  "test_images = 0\nsize = 16\nsecrets = 5\n"                                                      \
  "[defense plain]\nplugin = none\n[defense noisy]\nplugin = gaussian\nepsilon = 1; 4\n"           \
  "[attack verbatim]\nplugin = verbatim\n[attack nearest]\nplugin = nearest\ngrants = public\n"    \
  "[metric recovery-rate]\n"

static AssayPlan *
make_plan (const char *text, GError **error)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *path = fixture_write (folder, "a.scenario", text);

  return assay_plan_new (path, &options, error);
}

/* The plan of SCENARIO, whose metric recovery-rate shows pictures by the function above, with one
 * sheet of three units. */
static AssayPlan *
make_spy_plan (AssayMetric *ret_spy, const char *defense, gboolean has_released)
{
  GError *error = NULL;
  AssayPlan *plan = make_plan (SCENARIO, &error);
  AssayContactSheet *sheet = g_new0 (AssayContactSheet, 1);

  cr_assert (plan != NULL, "%s", error->message);
  sheet->name = g_strdup ("spied");
  sheet->count = 3;
  sheet->has_released = has_released;
  sheet->selector = g_new0 (AssaySelector, 1);
  sheet->selector->defense = g_strdup (defense);
  sheet->selector->conditions = g_array_new (FALSE, FALSE, sizeof (AssayCondition));
  g_ptr_array_add (plan->sheets, sheet);
  for (guint i = 0; i < plan->metrics->len; i++) {
    AssayComponent *component = plan->metrics->pdata[i];

    if (!g_str_equal (component->plugin->id, "recovery-rate"))
      continue;
    sheet->metric = i;
    *ret_spy = *(const AssayMetric *) component->plugin;
    ret_spy->show = show;
    component->plugin = &ret_spy->plugin;
  }
  return plan;
}

static gboolean
stop_after (gpointer data)
{
  return --*(gint *) data < 0;
}

static AssayStore *
run_plan (const AssayPlan *plan, gint first_stop)
{
  AssayStore *store = assay_store_open (folder, TRUE, NULL);
  gint left = first_stop;
  const AssayRunCallbacks callbacks = { .is_cancelled = stop_after, .data = &left };
  AssayRunEnd end = ASSAY_RUN_INTERRUPTED;
  GError *error = NULL;

  while (end == ASSAY_RUN_INTERRUPTED) {
    g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

    cr_assert (assay_run (plan, workspace, store, &callbacks, &end, &error), "%s",
               error != NULL ? error->message : "");
    left = 3;
  }
  return store;
}

static const AssayThumbnail *
thumbnail_at (const AssayResultContactSheet *sheet, guint column, guint row)
{
  return ((const AssayResultColumn *) sheet->columns->pdata[column])->thumbnails->pdata[row];
}

Test (pictures, the_cells_of_trial_0_are_shown)
{
  static const char *const says[]
      = { "original", "recovered by verbatim from noisy epsilon=1",
          "recovered by nearest from noisy epsilon=1", "recovered by verbatim from noisy epsilon=4",
          "recovered by nearest from noisy epsilon=4" };
  AssayMetric spy;
  g_autoptr (AssayPlan) plan = make_spy_plan (&spy, "noisy", FALSE);
  g_autoptr (AssayStore) store = run_plan (plan, 100);
  g_autoptr (AssayResults) results = assay_results_load (plan, store, NULL);
  const AssayResultContactSheet *sheet = results->sheets->pdata[0];
  AssayThumbnail *kept = NULL;

  cr_assert (sheet->columns->len == 5 && sheet->n_rows == 3, "%u x %zu: %u cells failed",
             sheet->columns->len, sheet->n_rows, results->bad->len);
  for (guint c = 0; c < 5; c++) {
    const AssayResultColumn *column = sheet->columns->pdata[c];

    cr_assert_str_eq (column->says, says[c]);
    cr_assert (column->role == (c == 0 ? ASSAY_SHOWN_ORIGINAL : ASSAY_SHOWN_RECOVERED));
    cr_assert (column->cell->trial == 0);
    for (guint r = 0; r < 3; r++) {
      const AssayThumbnail *thumbnail = thumbnail_at (sheet, c, r);

      cr_assert ((thumbnail == NULL) == (c > 0 && r == 1), "%u, %u", c, r);
      if (thumbnail != NULL)
        cr_assert (thumbnail->width == 2 && thumbnail->height == 1
                   && thumbnail->data[0] == (c == 0 ? GREY_OF_ORIGINAL : GREY_OF_GUESS) + r);
    }
  }
  for (gsize i = 0; i < plan->cells->len; i++)
    for (guint unit = 0; unit < SECRETS; unit++) {
      const AssayCell *cell = assay_plan_cell (plan, i);
      const guint metric = ((const AssayContactSheet *) plan->sheets->pdata[0])->metric;
      const gboolean is_kept = cell->trial == 0 && cell->defense > 0 && unit < 3;

      cr_assert (assay_store_thumbnail (
          store, i, &(AssayShown){ metric, ASSAY_SHOWN_ORIGINAL, unit, NULL }, &kept, NULL));
      cr_assert ((kept != NULL) == is_kept, "cell %zu, unit %u", i, unit);
      g_clear_pointer (&kept, assay_thumbnail_free);
    }
}

/* The column of what was released holds the rows of the release, once for each defense. */
Test (pictures, released_images)
{
  AssayMetric spy;
  g_autoptr (AssayPlan) plan = make_spy_plan (&spy, NULL, TRUE);
  g_autoptr (AssayStore) store = run_plan (plan, 100);
  g_autoptr (AssayResults) results = assay_results_load (plan, store, NULL);
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  const AssayResultContactSheet *sheet = results->sheets->pdata[0];
  guint n_released = 0;
  AssayJob work;

  cr_assert (sheet->columns->len == 1 + 3 * 3, "%u", sheet->columns->len);
  for (guint c = 0; c < sheet->columns->len; c++) {
    const AssayResultColumn *column = sheet->columns->pdata[c];
    AssayCell cell = { .attack = 0, .utility = ASSAY_NO_COMPONENT };

    if (column->role != ASSAY_SHOWN_RELEASED)
      continue;
    cell.defense = n_released++;
    cr_assert (c == 1 + 3 * cell.defense, "before the defense's other columns");
    cr_assert (assay_workspace_cell (workspace, &cell, &work, NULL));
    for (gsize r = 0; r < 3; r++) {
      const AssayView rows = assay_array_view (assay_arrays_get (&work.release->arrays, "vectors"));
      g_autoptr (AssayThumbnail) expected
          = assay_thumbnail_from_row (assay_view_row (rows, r), &work.release->geometry, NULL);

      cr_assert (expected->width == 16 && expected->height == 16 && expected->channels == 3);
      cr_assert (memcmp (thumbnail_at (sheet, c, (guint) r)->data, expected->data, 16 * 16 * 3)
                     == 0,
                 "column %u, row %zu", c, r);
    }
  }
  cr_assert (n_released == 3);
}

/* Of a mixture the first image that was made for the secret. */
Test (pictures, released_mixtures)
{
  static const float images[] = { 0.2f, 0.4f, 0.6f, 0.8f };
  static const gint64 owners[] = { 1, 0, 1, 0 };
  const gsize n[] = { 4, 1 };
  AssayMetric spy;
  g_autoptr (AssayPlan) plan = make_spy_plan (&spy, NULL, TRUE);
  const AssayContactSheet *sheet = plan->sheets->pdata[0];
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GArray) shown = assay_shown_array_new ();
  const AssayJob work = { .release = release, .truth = truth };
  g_autofree AssayOutcomes *outcomes = g_new0 (AssayOutcomes, plan->metrics->len);
  guint8 found[2] = { 0 };

  release->geometry = (AssayGeometry){ .height = 1, .width = 1, .channels = 1, .white = 1 };
  assay_arrays_take (&release->arrays, "images",
                     assay_array_take (ASSAY_FLOAT32, 2, n, g_memdup2 (images, sizeof images)));
  assay_arrays_take (&truth->arrays, "owners",
                     assay_array_take (ASSAY_INT64, 1, n, g_memdup2 (owners, sizeof owners)));
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (fixture_normal (3, 1, 1)));
  assay_arrays_take (&guess->arrays, "estimates",
                     assay_array_take_matrix (fixture_normal (3, 1, 2)));
  outcomes[sheet->metric].n = 3;
  cr_assert (assay_show_cell (&(AssayShowing){ plan, assay_plan_cell (plan, 0),
                                               assay_plan_component (plan->attacks, 0)->settings,
                                               &work, guess, outcomes },
                              shown, NULL));
  for (guint i = 0; i < shown->len; i++) {
    const AssayShown *one = &g_array_index (shown, AssayShown, i);

    if (one->role == ASSAY_SHOWN_RELEASED) {
      cr_assert (one->unit < 2, "secret 2 owns no image");
      found[one->unit] = one->thumbnail->data[0];
    }
  }
  cr_assert (found[0] == 102 && found[1] == 51, "%u, %u", found[0], found[1]);
}

/* Stopped after any number of cells, the sheet has the same bytes. */
Test (pictures, a_resumed_run_ends_in_the_same_sheet)
{
  g_autoptr (GBytes) whole = NULL;

  for (gint stop = 12; stop >= 0; stop -= 3) {
    AssayMetric spy;
    g_autoptr (AssayPlan) plan = make_spy_plan (&spy, NULL, TRUE);
    g_autofree char *file = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
    AssayStore *store = run_plan (plan, stop);
    g_autoptr (AssayResults) results = assay_results_load (plan, store, NULL);
    g_autoptr (GBytes) png = assay_contact_sheet_png (results->sheets->pdata[0], "A title", NULL);

    assay_store_close (store);
    g_unlink (file);
    if (whole == NULL)
      whole = g_steal_pointer (&png);
    else
      cr_assert (g_bytes_equal (whole, png), "stopped after %d", stop);
  }
}

/* ---- The file ---- */

static AssayThumbnail *
make_thumbnail (gsize width, gsize height, gsize channels, guint8 first)
{
  AssayThumbnail *thumbnail = g_new0 (AssayThumbnail, 1);

  *thumbnail = (AssayThumbnail){ width, height, channels, g_malloc (width * height * channels) };
  for (gsize i = 0; i < width * height * channels; i++)
    thumbnail->data[i] = (guint8) (first + i);
  return thumbnail;
}

static AssayResultColumn *
add_column (AssayResultContactSheet *sheet, const char *says, const AssayResultCell *cell)
{
  AssayResultColumn *column = g_new0 (AssayResultColumn, 1);

  column->says = g_strdup (says);
  column->cell = cell;
  column->role = sheet->columns->len == 0 ? ASSAY_SHOWN_ORIGINAL : ASSAY_SHOWN_RECOVERED;
  column->thumbnails = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_thumbnail_free);
  g_ptr_array_add (sheet->columns, column);
  return column;
}

static GdkPixbuf *
decode (GBytes *png)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();

  cr_assert (gdk_pixbuf_loader_write_bytes (loader, png, NULL));
  cr_assert (gdk_pixbuf_loader_close (loader, NULL));
  return g_object_ref (gdk_pixbuf_loader_get_pixbuf (loader));
}

static guint32
pixel (const GdkPixbuf *picture, int x, int y)
{
  const guint8 *at = gdk_pixbuf_read_pixels (picture) + y * gdk_pixbuf_get_rowstride (picture)
                     + x * gdk_pixbuf_get_n_channels (picture);

  return ((guint32) at[0] << 16) | ((guint32) at[1] << 8) | at[2];
}

/* Two columns and two rows: 100 x 50 beside 30 x 20 (enlarged by 4, to 120 x 80), and 1 x 1
 * (enlarged by 96) beside nothing. Columns are 100 and 120 wide, rows 80 and 96 high, with gaps of
 * 2. */
Test (pictures, layout)
{
  const AssayResultSettings none = { 0 };
  const AssayResultComponent dataset = { .plugin = "d", .settings = &none };
  const AssayResultComponent defense = { .label = "f", .plugin = "f", .settings = &none };
  const AssayResultComponent attack = { .label = "a", .plugin = "a", .settings = &none };
  const AssayResultCell cell = {
    .dataset = &dataset, .defense = &defense, .attack_or_utility = &attack, .id = (char *) "0123"
  };
  AssayResultContactSheet sheet = { .name = "faces", .n_rows = 2 };
  g_autoptr (GBytes) png = NULL;
  g_autoptr (GdkPixbuf) picture = NULL;
  g_autofree char *json = NULL;
  AssayResultColumn *column;

  sheet.columns = g_ptr_array_new ();
  column = add_column (&sheet, "original", &cell);
  g_ptr_array_add (column->thumbnails, make_thumbnail (100, 50, 1, 0));
  g_ptr_array_add (column->thumbnails, make_thumbnail (1, 1, 3, 200));
  column = add_column (&sheet,
                       "r\xc3\xa9"
                       "covered",
                       &cell);
  g_ptr_array_add (column->thumbnails, make_thumbnail (30, 20, 3, 0));
  g_ptr_array_add (column->thumbnails, NULL);
  png = assay_contact_sheet_png (&sheet, "A title", NULL);
  picture = decode (png);

  cr_assert (gdk_pixbuf_get_width (picture) == 2 + 100 + 2 + 120 + 2);
  cr_assert (gdk_pixbuf_get_height (picture) == 2 + 80 + 2 + 96 + 2);
  /* The first tile stands in the middle of its field: 15 rows below its upper edge. */
  cr_assert (pixel (picture, 2, 16) == 0xffffff && pixel (picture, 1, 17) == 0xffffff);
  cr_assert (pixel (picture, 2, 17) == 0x000000 && pixel (picture, 3, 17) == 0x010101);
  cr_assert (pixel (picture, 7, 19) == 0xcdcdcd, "2 rows down and 5 pixels in: 205");
  cr_assert (pixel (picture, 2, 67) == 0xffffff);
  /* The second in colour, each of its pixels 4 x 4. */
  for (int i = 0; i < 4; i++)
    cr_assert (pixel (picture, 104 + i, 2 + i) == 0x000102);
  cr_assert (pixel (picture, 108, 2) == 0x030405 && pixel (picture, 104, 6) == 0x5a5b5c);
  cr_assert (pixel (picture, 223, 81) == 0x050607, "the last: 1797 to 1799, modulo 256");
  cr_assert (pixel (picture, 224, 2) == 0xffffff && pixel (picture, 104, 82) == 0xffffff);
  /* The third is 96 x 96 in a field 100 wide. */
  cr_assert (pixel (picture, 3, 84) == 0xffffff && pixel (picture, 4, 84) == 0xc8c9ca);
  cr_assert (pixel (picture, 99, 179) == 0xc8c9ca && pixel (picture, 100, 179) == 0xffffff);
  /* And the fourth is hatched: lines of 2 pixels, 8 apart. */
  cr_assert (pixel (picture, 104, 84) == 0xb0b0b0 && pixel (picture, 105, 84) == 0xb0b0b0);
  cr_assert (pixel (picture, 106, 84) == 0xe0e0e0 && pixel (picture, 111, 84) == 0xe0e0e0);
  cr_assert (pixel (picture, 112, 84) == 0xb0b0b0 && pixel (picture, 111, 85) == 0xb0b0b0);
  cr_assert (pixel (picture, 223, 179) == 0xe0e0e0, "119 + 95 is 6 modulo 8");
  cr_assert_str_eq (gdk_pixbuf_get_option (picture, "tEXt::Title"), "A title");
  cr_assert_str_eq (gdk_pixbuf_get_option (picture, "tEXt::Description"),
                    "Columns from left to right: 1 original; 2 r?covered");

  json = assay_contact_sheet_json (&sheet);
  cr_assert (strstr (json, "\"x\": 104,\n   \"width\": 120,") != NULL, "%s", json);
  cr_assert (strstr (json, "\"unit\": 1,\n   \"y\": 84,\n   \"height\": 96\n") != NULL, "%s", json);
  cr_assert (strstr (json, "\"cell\": \"0123\"") != NULL, "%s", json);
}

/* ---- What a plan is known by ---- */

#define SCENES                                                                                     \
  "[dataset]\nplugin = scenes\npictures = yes\nsecret_groups = 2\n[defense lifting]\n"             \
  "plugin = affine-lifting\ndimension = 2; 4\n[attack verbatim]\nplugin = verbatim\n"

Test (pictures, sheets_make_another_plan_of_the_same_cells)
{
  static const char *const groups[] = { "",
                                        "[pictures a]\n",
                                        "[pictures b]\n",
                                        "[pictures a]\ncount = 9\n",
                                        "[pictures a]\nwhere = defense.dimension = 4\n",
                                        "[pictures a]\ndefense = lifting\n" };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *id = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_autofree char *text = g_strconcat (SCENES, groups[i], NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayPlan) plan = make_plan (text, &error);
    g_autofree char *own = NULL;

    cr_assert (plan != NULL, "%s", error->message);
    cr_assert (g_hash_table_add (seen, g_strdup (plan->sha256)), "%s", groups[i]);
    own = assay_plan_cell_id (plan, assay_plan_cell (plan, 1));
    if (id == NULL)
      id = g_steal_pointer (&own);
    else
      cr_assert_str_eq (own, id, "%s", groups[i]);
  }
}

Test (pictures, what_is_refused)
{
  static const struct {
    const char *group;
    gint code;
    const char *message;
  } cases[] = {
    { "count = 0\n", ASSAY_ERROR_PARAMETER,
      "@:11: [pictures p] count = '0': expected a whole number, 1 to 64" },
    { "columns = 3\n", ASSAY_ERROR_SCENARIO, "@:11: [pictures p] unknown key 'columns'" },
    { "metric = recovery-rate\n", ASSAY_ERROR_MISMATCH,
      "@:11: [pictures p] metric 'recovery-rate' shows no pictures; those that do here: "
      "reconstruction" },
    { "metric = recontruction\n", ASSAY_ERROR_SCENARIO,
      "@:11: [pictures p] the scenario has no metric 'recontruction' (did you mean "
      "'reconstruction'?); those that show pictures: reconstruction" },
    { "released = perhaps\n", ASSAY_ERROR_PARAMETER,
      "@:11: [pictures p] released = 'perhaps': expected yes or no" },
    { "released = yes\n", ASSAY_ERROR_MISMATCH,
      "@:11: [pictures p] released = yes shows what was released of a secret, but metric "
      "'reconstruction' does not show secrets one by one" },
    { "defense = liftin\n", ASSAY_ERROR_SCENARIO,
      "@:11: [pictures p] the scenario has no [defense liftin] (did you mean 'lifting'?)" },
    { "where = defense.dimension > 4\n", ASSAY_ERROR_SCENARIO,
      "@:10: [pictures p] shows no cell of the scenario: defense, attack and where exclude all "
      "that end in a guess" },
    { "[metric reconstruction]\npatch = 4; 8\n", ASSAY_ERROR_SCENARIO,
      "@:10: [pictures p] metric 'reconstruction' has several settings; expected a [metric] of its "
      "own for the one that is meant" },
    { "[metric a]\nplugin = reconstruction\n[metric b]\nplugin = reconstruction\npatch = 4\n",
      ASSAY_ERROR_SCENARIO,
      "@:10: [pictures p] several metrics show pictures (a, b); expected metric = NAME" },
    { "count = 64\n[attack other]\nplugin = verbatim\n[defense more]\nplugin = affine-lifting\n"
      "dimension = 2; 4; 6; 8\n",
      ASSAY_ERROR_SCENARIO,
      "@:10: [pictures p] asks for 64 x 13 pictures; expected at most 600: a smaller count, or "
      "fewer cells by defense, attack and where" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat (SCENES, "[pictures p]\n", cases[i].group, NULL);
    g_autofree char *path = g_build_filename (folder, "a.scenario", NULL);
    g_autofree char *why = NULL;
    GError *error = NULL;
    g_autoptr (AssayPlan) plan = make_plan (text, &error);

    cr_assert (plan == NULL, "%s", cases[i].group);
    cr_assert (fixture_error_is (&error, cases[i].code, cases[i].message, path, &why), "%s: %s",
               cases[i].group, why);
  }
}

Test (pictures, datasets_without_photographs_are_refused)
{
  g_autofree char *path = g_build_filename (folder, "a.scenario", NULL);
  g_autoptr (GError) error = NULL;

  cr_assert (make_plan ("[dataset]\nplugin = scenes\n[defense plain]\nplugin = none\n"
                        "[attack verbatim]\nplugin = verbatim\n[pictures p]\n"
                        "metric = reconstruction\n",
                        &error)
             == NULL);
  cr_assert (g_str_has_prefix (error->message, path)
                 && strstr (error->message, ":8: [pictures p] metric 'reconstruction' needs ")
                        != NULL,
             "%s", error->message);
}
