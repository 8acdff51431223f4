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

/* Names of attacks and utilities: of which any cell has the measure, and of which any has
 * another. */
typedef struct {
  GHashTable *measured, *others;
} Known;

ASSAY_LOCAL_CLEAR (Known, known_clear, g_hash_table_unref (self->measured),
                   g_hash_table_unref (self->others))

static Known
find_known (const AssayResults *results, const AssayResultComponent *metric,
            const AssayResultMeasure *measure)
{
  Known known = { g_hash_table_new (g_str_hash, g_str_equal),
                  g_hash_table_new (g_str_hash, g_str_equal) };

  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    if (cell->measurements->len > 0)
      g_hash_table_add (assay_result_find_by (cell, measure, metric) != NULL ? known.measured
                                                                             : known.others,
                        (gpointer) cell->attack_or_utility->name);
  }
  return known;
}

/* Whether the cell failed without a number, and would have this one: its attack has it elsewhere,
 * or has nothing anywhere and plays what is measured so. */
static gboolean
lacks (const AssayResultCell *cell, const Known *known, const AssayResultMeasure *measure)
{
  const char *name = cell->attack_or_utility->name;
  const GPtrArray *measures = cell->attack_or_utility->measures;

  if (!assay_result_failed (cell) || cell->measurements->len > 0
      || g_hash_table_size (known->measured) == 0)
    return FALSE;
  return g_hash_table_contains (known->measured, name)
         || (!g_hash_table_contains (known->others, name) && measures != NULL
             && g_ptr_array_find ((GPtrArray *) measures, measure, NULL));
}

AssayGrid
assay_grid_new (const AssayResults *results, const AssayResultComponent *metric,
                const AssayResultMeasure *measure, const char *between)
{
  g_auto (Known) known = find_known (results, metric, measure);
  AssayGrid grid = { assay_names_new (), assay_names_new (), g_hash_table_new (NULL, NULL) };

  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    g_autofree char *name = row_name (results, cell, between);

    if (assay_result_find_by (cell, measure, metric) == NULL && !lacks (cell, &known, measure))
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

GPtrArray *
assay_grid_headlines (const GPtrArray *measures)
{
  GPtrArray *headlines = g_ptr_array_new ();

  for (guint pass = 0; pass < 2; pass++)
    ASSAY_FOR_EACH (const AssayResultMeasure, measure, measures) {
      if (measure->is_headline && measure->is_reference == (pass == 1))
        g_ptr_array_add (headlines, (gpointer) measure);
    }
  return headlines;
}
