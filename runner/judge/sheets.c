/* The contact sheets of a run: rows are the first units of trial 0, which are the same in all cells
 * of a dataset, and columns follow the plan. Before the first column of a dataset stand its
 * originals; before the first of a defense, where the scenario wants it, what was released. A cell
 * that ended in an error keeps its column, without pictures; one to which the metric does not apply
 * has none. */
#include "runner/judge/sheets.h"

static void
column_free (AssayResultColumn *column)
{
  g_free (column->says);
  g_ptr_array_unref (column->tiles);
  g_free (column);
}

static void
sheet_free (AssayResultSheet *sheet)
{
  g_ptr_array_unref (sheet->columns);
  g_free (sheet);
}

/* "original", with the settings that tell datasets apart where there are several. */
static char *
describe (const AssayPlan *plan, AssayShownRole role, const AssayResultCell *cell)
{
  g_autofree char *settings = g_strstrip (g_strdup (cell->dataset.name));
  g_autofree char *dataset
      = plan->datasets->len > 1 ? g_strdup_printf (" (%s)", settings) : g_strdup ("");
  const char *lost = cell->status == ASSAY_CELL_CONTROL_FAILED ? ", which lost its control" : "";

  if (role == ASSAY_SHOWN_ORIGINAL)
    return g_strdup_printf ("original%s", dataset);
  if (role == ASSAY_SHOWN_RELEASED)
    return g_strdup_printf ("released by %s%s", cell->defense.name, dataset);
  return g_strdup_printf ("recovered by %s from %s%s%s", cell->player.name, cell->defense.name,
                          dataset, lost);
}

/* The pictures of one role in a cell, with one place for each unit that the sheet may show. */
static AssayResultColumn *
load_column (const AssayResults *results, AssayStore *store, const AssaySheet *sheet, gsize index,
             AssayShownRole role, const AssayResultCell *cell, gsize *ret_n_shown, GError **error)
{
  AssayResultColumn *column = g_new0 (AssayResultColumn, 1);

  column->role = role;
  column->cell = cell;
  column->says = describe (results->plan, role, cell);
  column->tiles = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tile_free);
  *ret_n_shown = 0;
  for (gsize unit = 0; unit < sheet->count; unit++) {
    AssayTile *tile = NULL;

    if (!assay_store_tile (store, index, sheet->metric, role, unit, &tile, error)) {
      column_free (column);
      return NULL;
    }
    g_ptr_array_add (column->tiles, tile);
    if (tile != NULL)
      *ret_n_shown = unit + 1;
  }
  return column;
}

/* The last column of @role, or NULL. */
static AssayResultColumn *
last_of (const AssayResultSheet *sheet, AssayShownRole role)
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
  return last != NULL && last->cell->dataset.index == cell->dataset.index
         && (last->role == ASSAY_SHOWN_ORIGINAL
             || (last->role == ASSAY_SHOWN_RELEASED
                 && last->cell->defense.index == cell->defense.index));
}

/* What @last does not have and @column does. */
static void
fill_gaps (AssayResultColumn *last, AssayResultColumn *column)
{
  for (guint i = 0; i < last->tiles->len; i++)
    if (last->tiles->pdata[i] == NULL)
      last->tiles->pdata[i] = g_steal_pointer (&column->tiles->pdata[i]);
}

/* Whether a column without any picture says something: that its cell failed. */
static gboolean
is_worth (AssayShownRole role, const AssayResultCell *cell)
{
  return role == ASSAY_SHOWN_RECOVERED && cell->status != ASSAY_CELL_OK
         && cell->status != ASSAY_CELL_CONTROL_FAILED;
}

static gboolean
add_cell (const AssayResults *results, AssayStore *store, gsize index, const AssayResultCell *cell,
          AssayResultSheet *sheet, GError **error)
{
  for (AssayShownRole role = 0; role < ASSAY_N_SHOWN_ROLES; role++) {
    AssayResultColumn *last = last_of (sheet, role);
    AssayResultColumn *column;
    gsize n_shown = 0;

    if (role == ASSAY_SHOWN_RELEASED && !sheet->sheet->has_released)
      continue;
    column = load_column (results, store, sheet->sheet, index, role, cell, &n_shown, error);
    if (column == NULL)
      return FALSE;
    sheet->n_rows = MAX (sheet->n_rows, n_shown);
    if (!is_shared (last, cell) && (n_shown > 0 || is_worth (role, cell))) {
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
fill_sheet (const AssayResults *results, AssayStore *store, AssayResultSheet *sheet, GError **error)
{
  const AssayPlan *plan = results->plan;

  for (gsize i = 0; i < plan->cells->len; i++) {
    g_autoptr (AssayResultCell) cell = NULL;
    const guint n_columns = sheet->columns->len;

    /* Cells that have not been run are left out. */
    if (!assay_results_cell (results, i, FALSE, &cell, error))
      return FALSE;
    if (cell == NULL || cell->player.settings == NULL
        || !assay_sheet_selects (plan, sheet->sheet, assay_plan_cell (plan, i),
                                 cell->player.settings))
      continue;
    if (!add_cell (results, store, i, cell, sheet, error))
      return FALSE;
    if (sheet->columns->len > n_columns)
      g_ptr_array_add (results->shown, g_steal_pointer (&cell));
  }
  return TRUE;
}

/* Units beyond the last that has a picture are no rows; and failed cells alone are no sheet. */
static void
trim (AssayResultSheet *sheet)
{
  for (guint c = 0; c < sheet->columns->len; c++)
    g_ptr_array_set_size (((AssayResultColumn *) sheet->columns->pdata[c])->tiles,
                          (gint) sheet->n_rows);
  if (sheet->n_rows == 0)
    g_ptr_array_set_size (sheet->columns, 0);
}

GPtrArray *
assay_sheets_load (const AssayResults *results, AssayStore *store, GError **error)
{
  const GPtrArray *wanted = results->plan->sheets;
  g_autoptr (GPtrArray) sheets = g_ptr_array_new_with_free_func ((GDestroyNotify) sheet_free);

  for (guint i = 0; i < wanted->len; i++) {
    AssayResultSheet *sheet = g_new0 (AssayResultSheet, 1);

    sheet->sheet = wanted->pdata[i];
    sheet->columns = g_ptr_array_new_with_free_func ((GDestroyNotify) column_free);
    g_ptr_array_add (sheets, sheet);
    if (!fill_sheet (results, store, sheet, error))
      return NULL;
    trim (sheet);
  }
  return g_steal_pointer (&sheets);
}
