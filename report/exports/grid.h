/* Cells in a grid, as tables show one measure: defenses down, attacks or utilities across. */
#pragma once

#include "runner/judge/results.h"

/* Names in the order in which they came, which may be thousands, and the place of each. */
typedef struct {
  GPtrArray *names;   /* char * */
  GHashTable *places; /* of each name its number + 1 */
} AssayNames;

AssayNames assay_names_new (void);
void assay_names_clear (AssayNames *names);
/* The place of @name, which is added where it is new. */
guint assay_names_place (AssayNames *names, const char *name);

typedef struct {
  AssayNames rows, columns;
  GHashTable *cells; /* by row and column */
} AssayGrid;

/* The pooled cells of rows and columns in which any cell has @measure by @metric (NULL: by any, as
 * of a utility with whatever settings), and of those that ended in an error and would have it; none
 * if no cell has it. With several datasets a row is "DEFENSE@betweenDATASET". */
AssayGrid assay_grid_new (const AssayResults *results, const AssayResultComponent *metric,
                          const AssayResultMeasure *measure, const char *between);
void assay_grid_clear (AssayGrid *grid);
/* The headlines of @measures (both const AssayResultMeasure *) in the order in which they stand in
 * tables: what is for comparison below what it is compared with. */
GPtrArray *assay_grid_headlines (const GPtrArray *measures);

/* NULL: there is none. It may lack the measure. */
const AssayResultCell *assay_grid_cell (const AssayGrid *grid, guint row, guint column);
