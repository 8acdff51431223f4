/* Cleaning up what plugins fill in. */
#include "core/plugin.h"

void
assay_dataset_clear (AssayDataset *dataset)
{
  g_clear_pointer (&dataset->secrets, assay_rows_unref);
  g_clear_pointer (&dataset->public_rows, assay_rows_unref);
  g_clear_pointer (&dataset->database, assay_rows_unref);
  g_clear_pointer (&dataset->groups, g_free);
  g_clear_pointer (&dataset->sha256, g_free);
}

void
assay_control_case_clear (AssayControlCase *control_case)
{
  g_clear_pointer (&control_case->release, assay_release_free);
  g_clear_pointer (&control_case->truth, assay_truth_free);
  g_clear_pointer (&control_case->database, assay_rows_unref);
  g_clear_pointer (&control_case->public_rows, assay_rows_unref);
}

void
assay_outcomes_clear (AssayOutcomes *outcomes)
{
  for (guint i = 0; i < ASSAY_MAX_SERIES; i++)
    g_clear_pointer (&outcomes->series[i], g_free);
  outcomes->n = 0;
}
