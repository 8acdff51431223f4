/* The contact sheets of a run: rows are the first units of trial 0, which are the same in all cells
 * of a dataset, and columns follow the plan. Before the first column of a dataset stand its
 * originals; before the first of a defense, where the scenario wants it, what was released. A cell
 * that ended in an error keeps its column, without pictures; one to which the metric does not apply
 * has none. */
#include "runner/judge/contact-sheets.h"

#include <math.h>

#include "runner/judge/cells.h"
#include "runner/plan/contact-sheet.h"
#include "runner/store/outcomes.h"

static ASSAY_FREE_FUNC (AssayResultColumn, column_free, g_free (self->says),
                        g_ptr_array_unref (self->thumbnails), g_free (self->scores),
                        g_free (self->marks))

/* What a sheet is made of. */
typedef struct {
  AssayResults *results;
  const AssayPlan *plan;
  AssayStore *store;
  const AssayContactSheet *wanted;
} Source;

/* "original", with the settings that tell datasets apart where there are several. */
static char *
describe (const AssayResults *results, AssayShownRole role, const AssayResultCell *cell)
{
  g_autofree char *settings = g_strstrip (g_strdup (cell->dataset->name));
  g_autofree char *dataset
      = results->datasets->len > 1 ? g_strdup_printf (" (%s)", settings) : g_strdup ("");
  const char *lost = cell->status == ASSAY_RESULT_CONTROL_FAILED ? ", which lost its control" : "";

  if (role == ASSAY_SHOWN_ORIGINAL)
    return g_strdup_printf ("original%s", dataset);
  if (role == ASSAY_SHOWN_RELEASED)
    return g_strdup_printf ("released by %s%s", cell->defense->name, dataset);
  return g_strdup_printf ("recovered by %s from %s%s%s", cell->attack_or_utility->name,
                          cell->defense->name, dataset, lost);
}

/* The pictures of one role in a cell, with one place for each unit that the sheet may show. */
static AssayResultColumn *
load_column (const Source *source, gsize index, AssayShownRole role, const AssayResultCell *cell,
             gsize *ret_n_shown, GError **error)
{
  AssayResultColumn *column = g_new0 (AssayResultColumn, 1);

  column->role = role;
  column->cell = cell;
  column->says = describe (source->results, role, cell);
  column->thumbnails = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_thumbnail_free);
  *ret_n_shown = 0;
  for (gsize unit = 0; unit < source->wanted->count; unit++) {
    AssayThumbnail *thumbnail = NULL;

    if (!assay_store_thumbnail (source->store, index,
                                &(AssayShown){ source->wanted->metric, role, unit, NULL },
                                &thumbnail, error)) {
      column_free (column);
      return NULL;
    }
    g_ptr_array_add (column->thumbnails, thumbnail);
    if (thumbnail != NULL)
      *ret_n_shown = unit + 1;
  }
  return column;
}

static const AssayMetric *
metric_of (const Source *source)
{
  return assay_plan_component (source->plan->metrics, source->wanted->metric)->metric;
}

/* The measure that pictures are scored by: the first headline that is a mean or a median, so that
 * the outcome of one unit is in its unit. NULL: there is none. */
static const AssayMeasure *
score_of (const AssayMetric *metric)
{
  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++)
    if (measure->is_headline
        && (measure->statistic == ASSAY_STATISTIC_MEAN
            || measure->statistic == ASSAY_STATISTIC_MEDIAN))
      return measure;
  return NULL;
}

/* The measure whose units are marked; NULL: there is none. */
static const AssayMeasure *
mark_of (const AssayMetric *metric)
{
  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++)
    if (measure->mark != NULL)
      return measure;
  return NULL;
}

/* The outcomes of the units that the sheet may show, NAN where there is none. */
static double *
outcomes_of (const Source *source, const AssayOutcomes *outcomes, const AssayMeasure *measure)
{
  const double *series = outcomes->series[measure->series];
  double *values = g_new (double, source->wanted->count);

  for (gsize unit = 0; unit < source->wanted->count; unit++)
    values[unit] = unit < outcomes->n && series != NULL ? series[unit] : NAN;
  return values;
}

/* What cell @index scored in each unit that the sheet may show, and which of them are marked. */
static gboolean
load_scores (const Source *source, gsize index, AssayResultColumn *column, GError **error)
{
  const AssayMetric *metric = metric_of (source);
  const AssayMeasure *measure = score_of (metric), *mark = mark_of (metric);
  g_autofree double *marked = NULL;
  AssayOutcomes outcomes = { 0 };

  if (measure == NULL && mark == NULL)
    return TRUE;
  if (!assay_store_outcomes (source->store, index, source->wanted->metric, metric->n_series,
                             &outcomes, error))
    return FALSE;
  if (measure != NULL)
    column->scores = outcomes_of (source, &outcomes, measure);
  if (mark != NULL) {
    marked = outcomes_of (source, &outcomes, mark);
    column->marks = g_new (gboolean, source->wanted->count);
    for (gsize unit = 0; unit < source->wanted->count; unit++)
      column->marks[unit] = marked[unit] == 1;
  }
  assay_outcomes_clear (&outcomes);
  return TRUE;
}

/* The last column of @role, or NULL. */
static AssayResultColumn *
last_of (const AssayResultContactSheet *sheet, AssayShownRole role)
{
  for (guint i = sheet->columns->len; i > 0; i--)
    if (((AssayResultColumn *) sheet->columns->pdata[i - 1])->role == role)
      return sheet->columns->pdata[i - 1];
  return NULL;
}

/* Whether the column @last, if there is one, stands for @cell too. */
static gboolean
is_shared (const AssayResultColumn *last, const AssayResultCell *cell)
{
  return last != NULL && last->cell->dataset->index == cell->dataset->index
         && (last->role == ASSAY_SHOWN_ORIGINAL
             || (last->role == ASSAY_SHOWN_RELEASED
                 && last->cell->defense->index == cell->defense->index));
}

/* What @last does not have and @column does. */
static void
fill_gaps (AssayResultColumn *last, AssayResultColumn *column)
{
  for (guint i = 0; i < last->thumbnails->len; i++)
    if (last->thumbnails->pdata[i] == NULL)
      last->thumbnails->pdata[i] = g_steal_pointer (&column->thumbnails->pdata[i]);
}

/* Whether a column without any picture is shown: it says that its cell failed. */
static gboolean
is_shown_empty (AssayShownRole role, const AssayResultCell *cell)
{
  return role == ASSAY_SHOWN_RECOVERED && cell->status == ASSAY_RESULT_ERROR;
}

static gboolean
add_cell (const Source *source, gsize index, const AssayResultCell *cell,
          AssayResultContactSheet *sheet, GError **error)
{
  for (AssayShownRole role = 0; role <= ASSAY_SHOWN_RECOVERED; role++) {
    AssayResultColumn *last = last_of (sheet, role);
    AssayResultColumn *column;
    gsize n_shown = 0;

    if (role == ASSAY_SHOWN_RELEASED && !source->wanted->has_released)
      continue;
    column = load_column (source, index, role, cell, &n_shown, error);
    if (column == NULL)
      return FALSE;
    if (role == ASSAY_SHOWN_RECOVERED && !load_scores (source, index, column, error)) {
      column_free (column);
      return FALSE;
    }
    sheet->n_rows = MAX (sheet->n_rows, n_shown);
    if (!is_shared (last, cell) && (n_shown > 0 || is_shown_empty (role, cell))) {
      g_ptr_array_add (sheet->columns, column);
      continue;
    }
    if (is_shared (last, cell))
      fill_gaps (last, column);
    column_free (column);
  }
  return TRUE;
}

static gboolean
fill_sheet (const Source *source, AssayResultContactSheet *sheet, GError **error)
{
  const AssayPlan *plan = source->plan;

  for (gsize i = 0; i < plan->cells->len; i++) {
    g_autoptr (AssayResultCell) cell = NULL;
    const guint n_columns = sheet->columns->len;

    /* Cells that have not been run are left out. */
    if (!assay_results_cell (source->results, i, FALSE, &cell, error))
      return FALSE;
    if (cell == NULL
        || !assay_contact_sheet_selects (
            plan, source->wanted, assay_plan_cell (plan, i),
            assay_results_settings (plan, assay_plan_cell (plan, i), cell->attack_or_utility)))
      continue;
    if (!add_cell (source, i, cell, sheet, error))
      return FALSE;
    if (sheet->columns->len > n_columns)
      g_ptr_array_add (source->results->shown, g_steal_pointer (&cell));
  }
  return TRUE;
}

/* Units beyond the last that has a picture are no rows; and failed cells alone are no sheet. */
static void
trim (AssayResultContactSheet *sheet)
{
  for (guint c = 0; c < sheet->columns->len; c++)
    g_ptr_array_set_size (((AssayResultColumn *) sheet->columns->pdata[c])->thumbnails,
                          (gint) sheet->n_rows);
  if (sheet->n_rows == 0)
    g_ptr_array_set_size (sheet->columns, 0);
}

gboolean
assay_contact_sheets_load (AssayResults *results, const AssayPlan *plan, AssayStore *store,
                           GError **error)
{
  for (guint i = 0; i < plan->sheets->len; i++) {
    const Source source = { results, plan, store, plan->sheets->pdata[i] };
    const AssayMetric *metric = metric_of (&source);
    const AssayMeasure *score = score_of (metric), *mark = mark_of (metric);
    AssayResultContactSheet *sheet = g_new0 (AssayResultContactSheet, 1);

    sheet->name = source.wanted->name;
    sheet->unit = metric->has_own_units ? "picture" : "secret";
    sheet->mark = mark != NULL ? mark->mark : NULL;
    sheet->measure = score != NULL ? assay_results_measure (results, score) : NULL;
    sheet->columns = g_ptr_array_new_with_free_func ((GDestroyNotify) column_free);
    g_ptr_array_add (results->sheets, sheet);
    if (!fill_sheet (&source, sheet, error))
      return FALSE;
    trim (sheet);
  }
  return TRUE;
}
