/* A measurement of a cell by the name of its measure. */
#pragma once

#include "runner/judge/results.h"

/* NULL: there is none. */
static inline const AssayMeasurement *
find_measurement (const AssayResultCell *cell, const char *name)
{
  for (guint i = 0; i < cell->measurements->len; i++)
    if (g_str_equal (assay_result_measurement (cell, i)->measure->name, name))
      return assay_result_measurement (cell, i);
  return NULL;
}
