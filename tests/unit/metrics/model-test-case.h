/* A release of model updates and a dataset with test rows, for the tests of utilities that judge
 * models. */
#pragma once

#include "core/plugin/utility.h"

/* Of these sizes; CASE_WIDTH: weights of a class, with a bias. */
#define CASE_ROWS 60
#define CASE_SECRETS 30
#define CASE_COLS 4
#define CASE_WIDTH (CASE_COLS + 1)
#define CASE_CLASSES 3

typedef struct {
  AssayDataset dataset;
  AssayRelease *release;
  AssayTruth *truth;
  AssayOutcomes outcomes;
} ModelTestCase;

void model_test_case_clear (ModelTestCase *test);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ModelTestCase, model_test_case_clear)

/* Two random models with a bias, a scaling of columns, test rows of whole numbers with labels of
 * unequal frequency, and secrets of whom most have label 1, fewer label 2 and the fewest label 0.
 * Row 7 and row 8 are equal. */
ModelTestCase model_test_case_new (void);

/* The score of test row @i for class @c, of the last model or the first: by definition. */
double model_test_case_score (const ModelTestCase *test, gboolean is_first, gsize i, gsize c);

/* Plays @utility with the settings @assignments. */
gboolean model_test_case_play (const AssayUtility *utility, const char *assignments,
                               ModelTestCase *test, GError **error);
double model_test_case_mean (const ModelTestCase *test, guint series);
