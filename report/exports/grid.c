/* Cells in a grid. */
#include "report/exports/grid.h"

AssayNames
assay_names_new (void)
{
  return (AssayNames){ g_ptr_array_new_with_free_func (g_free),
                       g_hash_table_new (g_str_hash, g_str_equal) };
}

ASSAY_CLEAR_FUNC (AssayNames, assay_names_clear, g_hash_table_unref (self->places),
                  g_ptr_array_unref (self->names))

static guint
known_place (const AssayNames *names, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (names->places, name));
}

guint
assay_names_place (AssayNames *names, const char *name)
{
  const guint known = known_place (names, name);
  char *own;

  if (known > 0)
    return known - 1;
  own = g_strdup (name);
  g_ptr_array_add (names->names, own);
  g_hash_table_insert (names->places, own, GUINT_TO_POINTER (names->names->len));
  return names->names->len - 1;
}

static gpointer
key_of (guint row, guint column)
{
  return GSIZE_TO_POINTER ((gsize) row * G_MAXUINT32 + column);
}

static char *
row_name (const AssayResults *results, const AssayResultCell *cell, const char *between)
{
  return results->datasets->len == 1
             ? g_strdup (cell->defense->name)
             : g_strconcat (cell->defense->name, between, cell->dataset->name, NULL);
}

AssayGrid
assay_grid_new (const AssayResults *results, const AssayResultComponent *metric,
                const AssayResultMeasure *measure, const char *between)
{
  AssayGrid grid = { assay_names_new (), assay_names_new (), g_hash_table_new (NULL, NULL) };

  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    g_autofree char *name = row_name (results, cell, between);

    if (assay_result_find_by (cell, measure, metric) == NULL)
      continue;
    assay_names_place (&grid.rows, name);
    assay_names_place (&grid.columns, cell->attack_or_utility->name);
  }
  ASSAY_FOR_EACH (AssayResultCell, cell, results->pooled) {
    g_autofree char *name = row_name (results, cell, between);
    const guint row = known_place (&grid.rows, name);
    const guint column = known_place (&grid.columns, cell->attack_or_utility->name);

    /* An attack or a defense for which the measure means nothing is left out. */
    if (row > 0 && column > 0)
      g_hash_table_insert (grid.cells, key_of (row - 1, column - 1), cell);
  }
  return grid;
}

ASSAY_CLEAR_FUNC (AssayGrid, assay_grid_clear, assay_names_clear (&self->rows),
                  assay_names_clear (&self->columns), g_hash_table_unref (self->cells))

const AssayResultCell *
assay_grid_cell (const AssayGrid *grid, guint row, guint column)
{
  return g_hash_table_lookup (grid->cells, key_of (row, column));
}
