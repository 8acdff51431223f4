/* Run stores written again. */
#include "fuzz/rewritten.h"

#include <string.h>

#include "core/plugin/external.h"
#include "core/plugin/registry.h"
#include "fuzz/fuzz.h"
#include "runner/store/manifest.h"
#include "runner/store/outcomes.h"

/* A store can be large; how a cell is written does not depend on which it is. */
#define MOST_CELLS 4
#define MOST_METRICS 32
#define MOST_UNITS 4

/* ---- What the run is of ---- */

/* A remark may name a file, whose name may be any: here one that the store brought, and its end. */
static void
check_remarks (const AssaySavedRun *run, AssayPlan *plan, AssayStore *again)
{
  static const char tail[] = "\xe2\x80\xae\x1b[31m\xff\xe2";
  g_autofree char *known = NULL, *written = NULL;

  FUZZ_REQUIRE (assay_manifest_remarks (run->store, &known, NULL));
  for (guint d = 0; d < plan->datasets->len; d++)
    g_snprintf (plan->probes[d].remark, sizeof plan->probes[d].remark, "%s%s",
                known != NULL ? known : "", tail);
  FUZZ_REQUIRE (assay_manifest_set_remarks (plan, again, NULL));
  FUZZ_REQUIRE (assay_manifest_remarks (again, &written, NULL));
  FUZZ_REQUIRE (g_utf8_validate (written, -1, NULL));
  FUZZ_REQUIRE (strchr (written, '\x1b') == NULL && strstr (written, "\xe2\x80\xae") == NULL);
}

static void
check_plan (const AssaySavedRun *run, AssayStore *again)
{
  g_autoptr (AssayPlan) plan = NULL;

  FUZZ_REQUIRE (assay_manifest_store (run->plan, again, NULL));
  FUZZ_REQUIRE (assay_manifest_plan (again, &plan, NULL));
  FUZZ_REQUIRE (g_str_equal (plan->sha256, run->plan->sha256));
  FUZZ_REQUIRE (assay_manifest_store (plan, again, NULL));
  check_remarks (run, plan, again);
}

static void
check_programs (const AssaySavedRun *run, AssayStore *again)
{
  for (guint i = 0; i < run->plan->defenses->len; i++) {
    const AssayComponent *defense = assay_plan_component (run->plan->defenses, i);
    g_autofree char *known = NULL, *written = NULL;

    FUZZ_REQUIRE (assay_programs_of (run->store, defense, i, &known, NULL));
    if (known == NULL)
      continue;
    FUZZ_REQUIRE (assay_programs_keep (again, defense, i, known, NULL));
    FUZZ_REQUIRE (assay_programs_of (again, defense, i, &written, NULL));
    FUZZ_REQUIRE (g_strcmp0 (known, written) == 0
                  || assay_plugin_external (defense->plugin)->verify != NULL);
  }
}

/* A loaded file is noted once, without what steers a terminal; one more stays beside it. */
static void
check_modules (AssayStore *again)
{
  AssayPluginOrigin one = { (char *) "plugins/on\033[31me.so", (char *) "00ff" };
  AssayPluginOrigin other = { (char *) "plugins/other.so", (char *) "11ee" };
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  g_autofree char *none = NULL, *text = NULL;

  FUZZ_REQUIRE (assay_manifest_add_modules (again, files, NULL));
  FUZZ_REQUIRE (assay_manifest_modules (again, &none, NULL) && none == NULL);
  g_ptr_array_add (files, &one);
  for (guint i = 0; i < 2; i++)
    FUZZ_REQUIRE (assay_manifest_add_modules (again, files, NULL));
  files->pdata[0] = &other;
  FUZZ_REQUIRE (assay_manifest_add_modules (again, files, NULL));
  FUZZ_REQUIRE (assay_manifest_modules (again, &text, NULL));
  FUZZ_REQUIRE (g_str_has_prefix (text, "00ff plugins/on") && strchr (text, '\033') == NULL);
  FUZZ_REQUIRE (g_str_has_suffix (text, "\n11ee plugins/other.so\n"));
}

static void
check_about (const AssaySavedRun *run, AssayStore *again)
{
  AssayRunTimes times;
  g_autofree char *kernels = NULL, *confinement = NULL, *more = NULL;
  gboolean has_others;

  FUZZ_REQUIRE (assay_manifest_set_times (again, &run->times, NULL));
  FUZZ_REQUIRE (assay_manifest_times (again, &times, NULL));
  FUZZ_REQUIRE (times.threads == run->times.threads);
  FUZZ_REQUIRE (times.started_us == run->times.started_us);
  FUZZ_REQUIRE (times.ended_us == run->times.ended_us);
  /* What is known already is not added a second time. */
  for (guint i = 0; i < 2; i++) {
    FUZZ_REQUIRE (assay_manifest_add_kernels (again, &has_others, NULL) && !has_others);
    FUZZ_REQUIRE (assay_manifest_add_confinement (run->plan, again, NULL));
    FUZZ_REQUIRE (i > 0 || assay_manifest_confinement (again, &confinement, NULL));
  }
  FUZZ_REQUIRE (assay_manifest_kernels (again, &kernels, NULL) && *kernels != '\0');
  FUZZ_REQUIRE (assay_manifest_confinement (again, &more, NULL));
  FUZZ_REQUIRE (g_strcmp0 (confinement, more) == 0);
  check_modules (again);
  /* Where the run was made elsewhere, both stay. */
  FUZZ_REQUIRE (assay_store_set (again, "kernels", "others", NULL));
  FUZZ_REQUIRE (assay_manifest_add_kernels (again, &has_others, NULL) && has_others);
}

/* ---- Cells ---- */

/* What was measured in a cell, as far as it can be read. */
typedef struct {
  AssayCellRecord record;
  guint n_metrics;
  AssayOutcomes outcomes[MOST_METRICS];
  GArray *shown;
} Cell;

static void
read_shown (AssayStore *store, gsize index, guint n_metrics, GArray *shown)
{
  AssayShown which = { 0 };

  for (which.metric = 0; which.metric < n_metrics; which.metric++)
    for (which.role = 0; which.role <= ASSAY_SHOWN_RECOVERED; which.role++)
      for (which.unit = 0; which.unit < MOST_UNITS; which.unit++) {
        which.thumbnail = NULL;
        if (assay_store_thumbnail (store, index, &which, &which.thumbnail, NULL)
            && which.thumbnail != NULL)
          g_array_append_val (shown, which);
      }
}

static gboolean
read_cell (AssayStore *store, gsize index, guint n_metrics, Cell *ret_cell)
{
  if (!assay_store_cell (store, index, &ret_cell->record, NULL))
    return FALSE;
  ret_cell->n_metrics = n_metrics;
  for (guint m = 0; m < n_metrics; m++)
    if (!assay_store_outcomes (store, index, m, ASSAY_MAX_SERIES, &ret_cell->outcomes[m], NULL))
      ret_cell->outcomes[m] = (AssayOutcomes){ 0 };
  ret_cell->shown = assay_shown_array_new ();
  read_shown (store, index, n_metrics, ret_cell->shown);
  return TRUE;
}

static void
clear_cell (Cell *cell)
{
  g_free (cell->record.message);
  for (guint m = 0; m < cell->n_metrics; m++)
    assay_outcomes_clear (&cell->outcomes[m]);
  g_clear_pointer (&cell->shown, g_array_unref);
}

static void
check_outcomes (const AssayOutcomes *a, const AssayOutcomes *b)
{
  FUZZ_REQUIRE (a->n == b->n);
  for (guint s = 0; s < ASSAY_MAX_SERIES; s++) {
    FUZZ_REQUIRE (g_strcmp0 (a->omitted[s], b->omitted[s]) == 0);
    if (a->n == 0)
      continue;
    FUZZ_REQUIRE ((a->series[s] != NULL) == (b->series[s] != NULL));
    FUZZ_REQUIRE (a->series[s] == NULL
                  || memcmp (a->series[s], b->series[s], a->n * sizeof (double)) == 0);
  }
}

static void
check_shown (const GArray *a, const GArray *b)
{
  FUZZ_REQUIRE (a->len == b->len);
  for (guint i = 0; i < a->len; i++) {
    const AssayThumbnail *mine = g_array_index (a, AssayShown, i).thumbnail;
    const AssayThumbnail *other = g_array_index (b, AssayShown, i).thumbnail;

    FUZZ_REQUIRE (mine->width == other->width && mine->height == other->height);
    FUZZ_REQUIRE (mine->channels == other->channels);
    FUZZ_REQUIRE (memcmp (mine->data, other->data, assay_thumbnail_bytes (mine)) == 0);
  }
}

static void
check_equal (const Cell *a, const Cell *b)
{
  FUZZ_REQUIRE (a->record.status == b->record.status);
  FUZZ_REQUIRE (g_strcmp0 (a->record.message, b->record.message) == 0);
  FUZZ_REQUIRE (a->record.seconds == b->record.seconds);
  for (guint m = 0; m < a->n_metrics; m++)
    check_outcomes (&a->outcomes[m], &b->outcomes[m]);
  check_shown (a->shown, b->shown);
}

/* Another start stands beside the chosen one. */
static void
check_start (AssayStore *again, gsize index, const Cell *cell)
{
  FUZZ_REQUIRE (assay_store_add_start (again, index, 1, cell->outcomes, cell->n_metrics, NULL));
  for (guint m = 0; m < cell->n_metrics; m++) {
    AssayOutcomes outcomes;

    FUZZ_REQUIRE (assay_store_outcomes (again, index, assay_metric_of_start (m, 1),
                                        ASSAY_MAX_SERIES, &outcomes, NULL));
    check_outcomes (&cell->outcomes[m], &outcomes);
    assay_outcomes_clear (&outcomes);
  }
}

static void
check_cell (const AssaySavedRun *run, gsize index, AssayStore *again)
{
  const guint n_metrics
      = MIN (assay_plan_n_measuring (run->plan, assay_plan_cell (run->plan, index)), MOST_METRICS);
  Cell cell = { 0 }, written = { 0 };
  gboolean is_crashed;

  if (!read_cell (run->store, index, n_metrics, &cell))
    return;
  FUZZ_REQUIRE (assay_store_begin_cell (again, index, &is_crashed, NULL) && !is_crashed);
  FUZZ_REQUIRE (assay_store_finish_cell (
      again, index, &cell.record,
      &(AssayMeasured){ cell.outcomes, n_metrics, cell.shown->len > 0 ? cell.shown : NULL },
      NULL));
  FUZZ_REQUIRE (read_cell (again, index, n_metrics, &written));
  check_equal (&cell, &written);
  check_start (again, index, &cell);
  clear_cell (&cell);
  clear_cell (&written);
}

void
fuzz_check_rewritten (const AssaySavedRun *run)
{
  g_autoptr (AssayStore) again = assay_store_new_in_memory (NULL);

  FUZZ_REQUIRE (again != NULL);
  check_plan (run, again);
  check_about (run, again);
  check_programs (run, again);
  for (gsize i = 0; i < MIN (run->plan->cells->len, MOST_CELLS); i++)
    check_cell (run, i, again);
}
