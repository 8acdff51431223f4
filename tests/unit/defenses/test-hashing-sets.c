/* Hash functions learned from rows with several classes, more of them than a word of a set has, or
 * none: against sums over pairs and rows as they are defined. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/formats/label-sets.h"
#include "defenses/codes/deep-hash.h"
#include "defenses/codes/supervised-hashing.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { ROWS = 90, COLS = 6, CLASSES = 70, BITS = 5, WORDS = 2 };

typedef struct {
  AssayMatrix *rows;
  gint64 labels[ROWS], sets[ROWS * WORDS];
  gboolean has[ROWS][CLASSES];
  HashTraining training;
  HashSettings settings;
} Case;

/* One to three of the classes 0, 1, 2 and 64 to 69 each; row 5 none. */
static void
case_init (Case *ret_case)
{
  AssayStream stream = assay_stream (assay_stream_key (31, 0, "sets", ""), 0);

  memset (ret_case, 0, sizeof *ret_case);
  ret_case->rows = fixture_normal (ROWS, COLS, 3);
  for (gsize i = 0; i < ROWS; i++) {
    ret_case->labels[i] = CLASSES;
    for (guint n = 0; i != 5 && n < 3; n++) {
      const gsize drawn = (gsize) assay_stream_below (&stream, 9);
      const gsize label = drawn < 3 ? drawn : 61 + drawn;

      ret_case->has[i][label] = TRUE;
      ret_case->labels[i] = MIN (ret_case->labels[i], (gint64) label);
      assay_label_set_add (ret_case->sets + i * WORDS, label);
    }
  }
  ret_case->training = (HashTraining){ .rows = assay_matrix_view (ret_case->rows),
                                       .labels = ret_case->labels,
                                       .n_classes = CLASSES + 1,
                                       .label_sets = ret_case->sets,
                                       .label_words = WORDS,
                                       .stream = assay_stream_key (31, 0, "learn", "") };
  ret_case->settings = (HashSettings){ .bits = BITS,
                                       .iterations = 4,
                                       .anchors = 20,
                                       .labelled = 60,
                                       .lambda = 1,
                                       .nu = 1e-5,
                                       .hidden = 8,
                                       .steps = 40,
                                       .rate = 1e-2 };
}

static void
case_clear (Case *learned)
{
  assay_matrix_free (learned->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static gboolean
share (const Case *learned, gsize i, gsize j)
{
  for (gsize c = 0; c < CLASSES; c++)
    if (learned->has[i][c] && learned->has[j][c])
      return TRUE;
  return FALSE;
}

static double
sign_of (const AssayArray *codes, gsize row, gsize bit)
{
  return assay_code_bit ((const guint8 *) codes->data + row * assay_code_bytes (BITS), bit) ? 1
                                                                                            : -1;
}

/* ||H H' - c S||^2 over the labelled pairs, with S 1 where two rows share a class. */
Test (hashing_sets, ksh_learns_from_shared_classes)
{
  g_auto (Case) learned;
  gsize rows[60];
  double objective[BITS + 1], sum = 0, alone = 0;
  gboolean is_descent[BITS];
  KshTrace trace = { rows, objective, is_descent };
  g_autoptr (AssayHashFunction) function = NULL;
  g_autoptr (AssayArray) codes = NULL;

  case_init (&learned);
  function = ksh_learn_traced (&learned.training, &learned.settings, &trace, NULL);
  cr_assert_not_null (function);
  codes = assay_hash_function_codes (function, learned.training.rows, NULL);
  for (gsize i = 0; i < 60; i++)
    for (gsize j = 0; j < 60; j++) {
      const double similar = share (&learned, rows[i], rows[j]) ? 1 : -1;
      double inner = 0;

      for (gsize k = 0; k < BITS; k++)
        inner += sign_of (codes, rows[i], k) * sign_of (codes, rows[j], k);
      sum += pow (inner - BITS * similar, 2);
      alone += similar > 0 && learned.labels[rows[i]] != learned.labels[rows[j]];
    }
  cr_assert_gt (alone, 100, "pairs that share a class other than the lowest");
  assert_near (objective[BITS], sum, 1e-9 * sum, "the objective");
  cr_assert_lt (objective[1], objective[0]);
}

/* The classifier of the last turn solves (B'B + lambda I) W = B'Y with as many ones in a row of Y
 * as the row has classes. */
Test (hashing_sets, sdh_tells_all_classes_of_a_row)
{
  g_auto (Case) learned;
  double objective[5], codes[ROWS * BITS], classifier[BITS * (CLASSES + 1)];
  SdhTrace trace = { .objective = objective, .codes = codes, .classifier = classifier };
  g_autoptr (AssayHashFunction) function = NULL;

  case_init (&learned);
  function = sdh_learn_traced (&learned.training, &learned.settings, &trace, NULL);
  cr_assert_not_null (function);
  for (gsize t = 0; t < trace.n; t++)
    cr_assert (objective[t + 1] <= objective[t] * (1 + 1e-9));
  for (gsize l = 0; l < BITS; l++)
    for (gsize c = 0; c <= CLASSES; c++) {
      double left = classifier[l * (CLASSES + 1) + c], right = 0;

      for (gsize i = 0; i < ROWS; i++) {
        right += c < CLASSES && learned.has[i][c] ? codes[i * BITS + l] : 0;
        for (gsize k = 0; k < BITS; k++)
          left += codes[i * BITS + l] * codes[i * BITS + k] * classifier[k * (CLASSES + 1) + c];
      }
      assert_near (left, right, 1e-9, "bit %zu, class %zu", l, c);
    }
}

/* The same functions from sets of one class each as from numbers of classes. */
Test (hashing_sets, sets_of_one_class_are_labels)
{
  AssayHashFunction *(*const learners[]) (const HashTraining *, const HashSettings *, GError **)
      = { ksh_learn, sdh_learn, dpsh_learn, hashnet_learn, adsh_learn };
  g_auto (Case) learned;

  case_init (&learned);
  memset (learned.sets, 0, sizeof learned.sets);
  for (gsize i = 0; i < ROWS; i++) {
    learned.labels[i] = (gint64) (i * 5 % 3 + (i % 2 == 0 ? 0 : 64));
    assay_label_set_add (learned.sets + i * WORDS, (gsize) learned.labels[i]);
  }
  for (gsize f = 0; f < G_N_ELEMENTS (learners); f++) {
    HashTraining single = learned.training;
    g_autoptr (AssayHashFunction) one = NULL;
    g_autoptr (AssayHashFunction) other = NULL;
    g_autoptr (AssayArray) codes = NULL;
    g_autoptr (AssayArray) other_codes = NULL;

    single.label_sets = NULL;
    one = learners[f](&learned.training, &learned.settings, NULL);
    other = learners[f](&single, &learned.settings, NULL);
    codes = assay_hash_function_codes (one, learned.training.rows, NULL);
    other_codes = assay_hash_function_codes (other, learned.training.rows, NULL);
    cr_assert_arr_eq (codes->data, other_codes->data, assay_array_count (codes), "learner %zu", f);
  }
}

/* The share of pairs that are alike, and J of the last turn's codes by the definition. */
Test (hashing_sets, networks_learn_from_shared_classes)
{
  g_auto (Case) learned;
  g_auto (LabelGroups) groups = { 0 };
  double before[8], after[8], codes[ROWS * BITS], outputs[ROWS * BITS], alike = 0, sum = 0, others;
  AdshTrace trace = { G_N_ELEMENTS (before), before, after, codes, outputs };
  g_autoptr (AssayHashFunction) function = NULL;
  DeepBatch batch = { .count = 2, .label_words = WORDS };
  gsize items[2];

  case_init (&learned);
  batch.items = items;
  batch.labels = learned.labels;
  batch.label_sets = learned.sets;
  for (gsize i = 0; i < ROWS; i++)
    for (gsize j = 0; j < ROWS; j++) {
      items[0] = i;
      items[1] = j;
      cr_assert_eq (deep_are_alike (&batch, 0, 1), share (&learned, i, j));
      alike += i != j && share (&learned, i, j) ? 1.0 / (ROWS * (ROWS - 1)) : 0;
    }
  cr_assert (label_groups_find (&learned.training, NULL, ROWS, &groups, NULL));
  assert_near (deep_hash_similar (&groups, ROWS), alike, 1e-12, "share of pairs");
  function = adsh_learn_traced (&learned.training, &learned.settings, &trace, NULL);
  cr_assert (function != NULL && trace.n > 0);
  others = alike / (1 - alike);
  for (gsize i = 0; i < ROWS; i++)
    for (gsize j = 0; j < ROWS; j++) {
      double gap = -BITS * (share (&learned, i, j) ? 1 : -others);

      for (gsize k = 0; k < BITS; k++)
        gap += outputs[i * BITS + k] * codes[j * BITS + k];
      sum += gap * gap;
    }
  for (gsize k = 0; k < ROWS * BITS; k++)
    sum += 200 * pow (codes[k] - outputs[k], 2);
  assert_near (after[trace.n - 1], sum, 1e-9 * sum, "J after the last turn");
  cr_assert (after[trace.n - 1] < before[trace.n - 1]);
}
