/* Rows about centres, and subspaces that go through a row each, for approximate scans. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  gsize n, m, d;
  gsize n_rows;
  AssayScale scale;
} ScanCase;

typedef struct {
  AssayMatrix *values; /* the rows as they are read: scaled */
  AssayRows *rows;
  AssayRelease *release;
  AssaySubspaces subspaces;
} ScanProblem;

void scan_problem_clear (ScanProblem *problem);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScanProblem, scan_problem_clear)

/* Rows about 20 centres; subspaces that go through a row each and are random otherwise. */
ScanProblem scan_problem_make (const ScanCase *c);

static const ScanCase cases[] = { { 30, 4, 24, 1500, ASSAY_SCALE_UNIT },
                                  { 300, 4, 128, 2000, ASSAY_SCALE_UNIT },
                                  { 150, 16, 64, 1200, ASSAY_SCALE_NONE },
                                  { 7, 1, 5, 300, ASSAY_SCALE_NONE },
                                  { 90, 0, 16, 1000, ASSAY_SCALE_NONE } };
