/* ksh and sdh: what they minimise against the sums written out, one step against all codes, what
 * they learn against chance and lsh, and what they refuse. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/data/codes.h"
#include "defenses/codes/kernel-features.h"
#include "defenses/codes/supervised-hashing.h"
#include "tests/unit/assert-near.h"

enum { ROWS = 400, COLS = 12, CLASSES = 4, BITS = 10, ANCHORS = 40, LABELLED = 150 };

/* Classes that lie in two places each, so that no hyperplane through the mean tells them apart. */
static AssayMatrix *
draw_rows (gsize count, guint64 trial, gint64 *ret_labels)
{
  AssayStream places = assay_stream (assay_stream_key (23, 0, "places", ""), 0);
  AssayStream stream = assay_stream (assay_stream_key (23, trial, "rows", ""), 0);
  AssayMatrix *rows = assay_matrix_new (count, COLS, NULL);
  double centres[2 * CLASSES][COLS];

  for (gsize k = 0; k < 2 * CLASSES; k++)
    for (gsize j = 0; j < COLS; j++)
      centres[k][j] = 2.2 * assay_stream_normal (&places);
  for (gsize i = 0; i < count; i++) {
    const gsize place = (gsize) assay_stream_below (&stream, 2 * CLASSES);

    ret_labels[i] = (gint64) (place % CLASSES);
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (rows, i)[j] = (float) (centres[place][j] + assay_stream_normal (&stream));
  }
  return rows;
}

typedef struct {
  AssayMatrix *rows;
  gint64 labels[ROWS];
  HashTraining training;
  HashSettings settings;
} Case;

static void
case_init (Case *ret_case)
{
  ret_case->rows = draw_rows (ROWS, 1, ret_case->labels);
  ret_case->training = (HashTraining){ .rows = assay_matrix_view (ret_case->rows),
                                       .labels = ret_case->labels,
                                       .n_classes = CLASSES,
                                       .stream = assay_stream_key (23, 0, "learn", "") };
  ret_case->settings = (HashSettings){
    .bits = BITS, .iterations = 5, .anchors = ANCHORS, .labelled = LABELLED, .lambda = 1, .nu = 1e-5
  };
}

static void
case_clear (Case *learned)
{
  assay_matrix_free (learned->rows);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

/* ---- The definitions, written out ---- */

static double
distance_of (const float *a, const float *b)
{
  double square = 0;

  for (gsize j = 0; j < COLS; j++)
    square += ((double) a[j] - (double) b[j]) * ((double) a[j] - (double) b[j]);
  return sqrt (square);
}

static double
feature_of (const AssayHashFunction *function, const float *row, gsize anchor)
{
  const double distance = distance_of (row, function->anchors->data + anchor * COLS);
  const double width = (double) function->width;

  return exp (-distance * distance / (2 * width * width)) - (double) function->mean->data[anchor];
}

static double
margin_of (const AssayHashFunction *function, const float *row, gsize bit)
{
  double sum = 0;

  for (gsize a = 0; a < function->anchors->rows; a++)
    sum += (double) function->projection->data[bit * function->anchors->rows + a]
           * feature_of (function, row, a);
  return sum;
}

static double
sdh_objective (const Case *learned, const AssayHashFunction *function, const SdhTrace *trace)
{
  const gsize bits = (gsize) learned->settings.bits;
  double loss = 0, away = 0, classifier = 0, projection = 0;

  for (gsize i = 0; i < ROWS; i++) {
    for (gsize k = 0; k < CLASSES; k++) {
      double told = 0;

      for (gsize l = 0; l < bits; l++)
        told += trace->codes[i * bits + l] * trace->classifier[l * CLASSES + k];
      loss += pow ((learned->labels[i] == (gint64) k) - told, 2);
    }
    for (gsize l = 0; l < bits; l++)
      away += pow (
          trace->codes[i * bits + l] - margin_of (function, learned->rows->data + i * COLS, l), 2);
  }
  for (gsize i = 0; i < bits * CLASSES; i++)
    classifier += pow (trace->classifier[i], 2);
  for (gsize i = 0; i < bits * function->anchors->rows; i++)
    projection += pow ((double) function->projection->data[i], 2);
  return loss + learned->settings.lambda * classifier
         + learned->settings.nu * (away + SDH_EMBEDDING_RIDGE * projection);
}

/* ---- Features ---- */

/* Anchors are distinct training rows, the width is the mean distance, features are what the
 * function makes of rows, and have mean 0. Products of float32 of rows with ||x||^2 of about 70 are
 * right to 1e-5, which moves a kernel by 1e-6. */
Test (supervised_hashing, features_are_what_defines_them)
{
  g_auto (Case) learned;
  g_auto (KernelFeatures) features = { NULL, NULL };
  gboolean is_used[ROWS] = { FALSE };
  double sum = 0;

  case_init (&learned);
  cr_assert (kernel_features_learn (&learned.training, ANCHORS, 0, &features, NULL));
  for (gsize a = 0; a < ANCHORS; a++) {
    const float *anchor = features.function->anchors->data + a * COLS;
    gsize row = 0;

    while (row < ROWS
           && memcmp (learned.rows->data + row * COLS, anchor, sizeof (float[COLS])) != 0)
      row++;
    cr_assert (row < ROWS && !is_used[row], "anchor %zu", a);
    is_used[row] = TRUE;
    for (gsize i = 0; i < ROWS; i++)
      sum += distance_of (learned.rows->data + i * COLS, anchor);
  }
  assert_near ((double) features.function->width, sum / (ROWS * ANCHORS), 1e-3, "width");
  for (gsize a = 0; a < ANCHORS; a++) {
    double mean = 0;

    for (gsize i = 0; i < ROWS; i++) {
      const double value = (double) features.features->data[i * ANCHORS + a];

      assert_near (value, feature_of (features.function, learned.rows->data + i * COLS, a), 1e-5,
                   "row %zu, anchor %zu", i, a);
      mean += value / ROWS;
    }
    assert_near (mean, 0, 1e-7, "mean of anchor %zu", a);
  }
}

/* Sizes across the tiles of 128 columns and panels of 256 rows. */
Test (supervised_hashing, cross_products_are_sums)
{
  enum { T = 300, A = 150, B = 7 };
  AssayStream stream = assay_stream (assay_stream_key (23, 0, "products", ""), 0);
  g_autoptr (AssayMatrix) a = assay_matrix_new (T, A, NULL);
  g_autoptr (AssayMatrix) b = assay_matrix_new (T, B, NULL);
  g_autofree double *found = g_new (double, A *A);

  for (gsize i = 0; i < T * A; i++)
    a->data[i] = (float) assay_stream_normal (&stream);
  for (gsize i = 0; i < T * B; i++)
    b->data[i] = (float) assay_stream_normal (&stream);
  for (gsize pass = 0; pass < 2; pass++) {
    const AssayMatrix *right = pass == 0 ? a : b;

    kernel_cross_products (assay_matrix_view (a), assay_matrix_view (right), found);
    for (gsize j = 0; j < A; j++)
      for (gsize k = 0; k < right->cols; k++) {
        double sum = 0;

        for (gsize i = 0; i < T; i++)
          sum += (double) a->data[i * A + j] * (double) right->data[i * right->cols + k];
        assert_near (found[j * right->cols + k], sum, 1e-11, "%zu: %zu, %zu", pass, j, k);
      }
  }
}

/* ---- sdh ---- */

/* After every number of iterations the objective is that of the definition, and never above the one
 * before. The embedding's margins of float32 are right to about 1e-4, and weigh nu = 1e-5; its
 * share matters at nu = 1, where they are off by 1e-4 of about 4,000. */
Test (supervised_hashing, objective_of_sdh_never_rises)
{
  static const double weights[] = { 1e-5, 1e-2, 1 };

  for (gsize w = 0; w < G_N_ELEMENTS (weights); w++) {
    double before = G_MAXDOUBLE, objective[9], classifier[BITS * CLASSES];
    g_autofree double *codes = g_new (double, ROWS *BITS);

    for (gint64 iterations = 1; iterations <= 8; iterations++) {
      g_auto (Case) learned;
      SdhTrace trace = { 0, objective, codes, classifier };
      g_autoptr (AssayHashFunction) function = NULL;
      double naive;

      case_init (&learned);
      learned.settings.iterations = iterations;
      learned.settings.nu = weights[w];
      function = sdh_learn_traced (&learned.training, &learned.settings, &trace, NULL);
      cr_assert (function != NULL && trace.n >= 1 && trace.n <= (gsize) iterations);
      naive = sdh_objective (&learned, function, &trace);
      assert_near (objective[trace.n], naive, 1e-4 * naive, "nu %g, %zu", weights[w], trace.n);
      for (gsize i = 1; i <= trace.n; i++)
        cr_assert (objective[i] <= objective[i - 1] * (1 + 1e-6), "nu %g, %zu: %g after %g",
                   weights[w], i, objective[i], objective[i - 1]);
      cr_assert (naive <= before * (1 + 1e-6), "nu %g, %zu: %g after %g", weights[w], trace.n,
                 naive, before);
      /* Random codes tell nothing of the label, and what is learned does. */
      cr_assert (objective[1] < 0.9 * objective[0], "nu %g: %g of %g", weights[w], objective[1],
                 objective[0]);
      before = naive;
    }
  }
}

/* b' G b - 2 q' b for all 2^7 codes: the code that is found is one that no single bit improves, it
 * is no worse than the one it started from, and on a G without entries off the diagonal it is the
 * best of all. */
Test (supervised_hashing, code_steps_end_where_no_bit_improves)
{
  enum { C = 7, ALL = 1 << C };
  gsize best = 0;

  for (guint64 trial = 0; trial < 200; trial++) {
    AssayStream stream = assay_stream (assay_stream_key (23, trial, "steps", ""), 0);
    double half[C * C], gram[C * C], linear[C], code[C], value[ALL], least = G_MAXDOUBLE;
    const gboolean is_diagonal = trial < 20;
    gsize start = (gsize) assay_stream_below (&stream, ALL), end = 0;

    for (gsize i = 0; i < C * C; i++)
      half[i] = is_diagonal ? (double) (i % (C + 1) == 0) : assay_stream_normal (&stream);
    for (gsize i = 0; i < C * C; i++) {
      gram[i] = 0;
      for (gsize k = 0; k < C; k++)
        gram[i] += half[i / C * C + k] * half[i % C * C + k];
    }
    for (gsize l = 0; l < C; l++)
      linear[l] = 3 * assay_stream_normal (&stream);
    for (gsize b = 0; b < ALL; b++) {
      value[b] = 0;
      for (gsize l = 0; l < C; l++) {
        const double sign = (b >> l & 1) != 0 ? 1 : -1;

        value[b] -= 2 * linear[l] * sign;
        for (gsize k = 0; k < C; k++)
          value[b] += gram[l * C + k] * sign * ((b >> k & 1) != 0 ? 1 : -1);
      }
      least = MIN (least, value[b]);
    }
    for (gsize l = 0; l < C; l++)
      code[l] = (start >> l & 1) != 0 ? 1 : -1;
    sdh_code_row (C, gram, linear, code);
    for (gsize l = 0; l < C; l++)
      end |= (gsize) (code[l] > 0) << l;
    cr_assert (value[end] <= value[start] + 1e-12, "trial %zu", (gsize) trial);
    for (gsize l = 0; l < C; l++)
      cr_assert (value[end] <= value[end ^ ((gsize) 1 << l)] + 1e-12, "trial %zu, bit %zu",
                 (gsize) trial, l);
    if (is_diagonal)
      assert_near (value[end], least, 1e-12, "trial %zu", (gsize) trial);
    best += value[end] < least + 1e-12;
  }
  /* The best of all is found more often than by chance, 200 / 2^7. */
  cr_assert (best >= 60, "%zu of 200", best);
}

/* ---- ksh ---- */

/* The objective is the sum over pairs of the definition, with the signs that the function gives,
 * and falls with every bit. */
Test (supervised_hashing, objective_of_ksh_falls_with_each_bit)
{
  g_auto (Case) learned;
  gsize rows[LABELLED];
  double objective[BITS + 1], inner[LABELLED][LABELLED] = { { 0 } };
  gboolean is_descent[BITS];
  KshTrace trace = { rows, objective, is_descent };
  g_autoptr (AssayHashFunction) function = NULL;
  gsize descents = 0;

  case_init (&learned);
  function = ksh_learn_traced (&learned.training, &learned.settings, &trace, NULL);
  cr_assert (function != NULL);
  for (gsize bits = 0; bits <= BITS; bits++) {
    double sum = 0, signs[LABELLED];

    for (gsize i = 0; i < LABELLED; i++) {
      cr_assert (rows[i] < ROWS);
      for (gsize j = 0; j < LABELLED; j++) {
        const int similar = learned.labels[rows[i]] == learned.labels[rows[j]] ? 1 : -1;

        sum += pow (inner[i][j] - BITS * similar, 2);
      }
    }
    assert_near (objective[bits], sum, 1e-9 * sum, "%zu bits", bits);
    if (bits == BITS)
      break;
    cr_assert (objective[bits + 1] < objective[bits], "%zu bits: %g after %g", bits + 1,
               objective[bits + 1], objective[bits]);
    descents += is_descent[bits] ? 1 : 0;
    for (gsize i = 0; i < LABELLED; i++) {
      const double margin = margin_of (function, learned.rows->data + rows[i] * COLS, bits);

      cr_assert (fabs (margin) > 1e-4, "a margin of %g is not safe from rounding", margin);
      signs[i] = margin > 0 ? 1 : -1;
    }
    for (gsize i = 0; i < LABELLED; i++)
      for (gsize j = 0; j < LABELLED; j++)
        inner[i][j] += signs[i] * signs[j];
  }
  cr_assert (descents > 0, "the descent is never better than the relaxation");
}

/* ---- What is learned ---- */

/* How often a held-out pair of one class is nearer than a pair of two, ties half: disjoint rows, so
 * that the @n comparisons are independent. */
static double
wins_of (const AssayArray *array, const gint64 *labels, gsize count, gsize bits, gsize *ret_n)
{
  g_autoptr (AssayCodes) codes = assay_codes_new (array, bits, NULL);
  gsize similar = count, n = 0; /* the pair of one class that waits for one of two; count: none */
  double wins = 0;

  for (gsize i = 0; i + 1 < count; i += 2) {
    guint16 near, far;

    if (labels[i] == labels[i + 1]) {
      similar = i;
    } else if (similar < count) {
      assay_codes_distances (codes, codes->data + similar * codes->words, similar + 1, 1, &near);
      assay_codes_distances (codes, codes->data + i * codes->words, i + 1, 1, &far);
      wins += near < far ? 1 : near == far ? 0.5 : 0;
      similar = count;
      n++;
    }
  }
  *ret_n = n;
  return wins;
}

/* Signs of random projections of the centred training rows. */
static AssayHashFunction *
random_function (AssayView rows)
{
  AssayStream stream = assay_stream (assay_stream_key (23, 0, "projections", ""), 0);
  AssayHashFunction *function = assay_hash_function_new ();

  function->mean = assay_matrix_new (1, COLS, NULL);
  function->projection = assay_matrix_new (BITS, COLS, NULL);
  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < COLS; j++)
      function->mean->data[j] += assay_view_row (rows, i)[j] / (float) rows.rows;
  for (gsize i = 0; i < BITS * COLS; i++)
    function->projection->data[i] = (float) assay_stream_normal (&stream);
  return function;
}

/* Wins are a sum of n independent numbers of [0, 1]: by Hoeffding, a function with chance p exceeds
 * n p + sqrt (n log (1 / alpha) / 2) with probability alpha at most. So above n / 2 and that, it is
 * better than chance at alpha = 1e-6; and two functions differ when their wins are apart by twice
 * that. */
Test (supervised_hashing, held_out_pairs_of_one_class_are_nearer)
{
  enum { HELD_OUT = 20000 };
  g_auto (Case) learned;
  g_autofree gint64 *labels = g_new (gint64, HELD_OUT);
  g_autoptr (AssayMatrix) rows = draw_rows (HELD_OUT, 2, labels);
  double wins[3];
  gsize n = 0;

  case_init (&learned);
  for (gsize f = 0; f < 3; f++) {
    g_autoptr (AssayHashFunction) function
        = f == 0   ? random_function (learned.training.rows)
          : f == 1 ? ksh_learn (&learned.training, &learned.settings, NULL)
                   : sdh_learn (&learned.training, &learned.settings, NULL);
    g_autoptr (AssayArray) codes
        = assay_hash_function_codes (function, assay_matrix_view (rows), NULL);

    wins[f] = wins_of (codes, labels, HELD_OUT, BITS, &n);
  }
  cr_assert (n > 1500, "%zu comparisons", n);
  for (gsize f = 1; f < 3; f++) {
    const double slack = sqrt ((double) n * log (1e6) / 2);

    cr_assert (wins[f] > (double) n / 2 + slack, "%zu: %g of %zu", f, wins[f], n);
    cr_assert (wins[f] > wins[0] + 2 * slack, "%zu: %g against %g of %zu", f, wins[f], wins[0], n);
  }
}

/* ---- Threads ---- */

static gboolean
same_bits (const AssayMatrix *a, const AssayMatrix *b)
{
  return a->rows == b->rows && a->cols == b->cols
         && memcmp (a->data, b->data, a->rows * a->cols * sizeof (float)) == 0;
}

Test (supervised_hashing, the_same_for_any_number_of_threads)
{
  g_auto (Case) learned;

  case_init (&learned);
  for (gsize f = 0; f < 2; f++) {
    AssayHashFunction *(*learn) (const HashTraining *, const HashSettings *, GError **)
        = f == 0 ? ksh_learn : sdh_learn;
    g_autoptr (AssayHashFunction) alone = NULL;
    g_autoptr (AssayHashFunction) together = NULL;

    assay_parallel_set_threads (1);
    alone = learn (&learned.training, &learned.settings, NULL);
    assay_parallel_set_threads (3);
    together = learn (&learned.training, &learned.settings, NULL);
    cr_assert (alone->width == together->width && same_bits (alone->mean, together->mean)
                   && same_bits (alone->anchors, together->anchors)
                   && same_bits (alone->projection, together->projection),
               "%s", f == 0 ? "ksh" : "sdh");
  }
}

/* ---- Bad input ---- */

static void
check_refused (const Case *learned, gboolean is_ksh, gint code, const char *message)
{
  GError *error = NULL;
  g_autoptr (AssayHashFunction) function
      = (is_ksh ? ksh_learn : sdh_learn) (&learned->training, &learned->settings, &error);

  cr_assert (function == NULL, "%s", message);
  cr_assert (g_error_matches (error, ASSAY_ERROR, code), "%s: %s", message, error->message);
  cr_assert (strstr (error->message, message) != NULL, "'%s' instead of '%s'", error->message,
             message);
  g_error_free (error);
}

Test (supervised_hashing, what_cannot_be_learned_from_is_refused)
{
  for (gsize is_ksh = 0; is_ksh < 2; is_ksh++) {
    g_auto (Case) learned;
    const gboolean which = is_ksh == 1;

    case_init (&learned);
    learned.training.labels = NULL;
    check_refused (&learned, which, ASSAY_ERROR_MISMATCH, "expected labels of the 400 training");
    learned.training.labels = learned.labels;
    learned.settings.anchors = ROWS + 1;
    check_refused (&learned, which, ASSAY_ERROR_MISMATCH,
                   "400 training rows: expected as many as anchors, 401, or more");
    learned.settings.anchors = ANCHORS;
    learned.labels[3] = CLASSES;
    check_refused (&learned, which, ASSAY_ERROR_DATA,
                   "training row 3 has label 4: expected 0 to less than 4");
    learned.settings.width = 1e6;
    learned.labels[3] = 0;
    check_refused (&learned, which, ASSAY_ERROR_DATA,
                   "a kernel of width 1e+06 is the same for all training rows");
    learned.settings.width = 0;
    for (gsize i = 0; i < ROWS * COLS; i++)
      learned.rows->data[i] = 0.1f * (float) (i % COLS);
    check_refused (&learned, which, ASSAY_ERROR_DATA, "all 400 training rows are equal");
    for (gsize i = 0; i < ROWS; i++)
      learned.labels[i] = 2;
    check_refused (&learned, which, ASSAY_ERROR_DATA, "all 400 training rows have label 2");
  }
}

Test (supervised_hashing, labelled_rows_of_ksh_must_tell_something)
{
  g_auto (Case) learned;

  case_init (&learned);
  learned.settings.labelled = ROWS + 1;
  check_refused (&learned, TRUE, ASSAY_ERROR_MISMATCH,
                 "400 training rows: expected as many as labelled, 401, or more");
  /* One row of another class, which two that are drawn of 400 miss with this seed. */
  for (gsize i = 0; i < ROWS; i++)
    learned.labels[i] = i == 7;
  learned.settings.labelled = 2;
  check_refused (&learned, TRUE, ASSAY_ERROR_DATA, "all 2 labelled rows that were drawn");
}
