/* What the hashing defenses without labels learn: ITQ and PITQ by what their iteration must keep,
 * spectral hashing against a naive program, random projections by the angles that they measure. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "defenses/codes/hash-learning.h"
#include "defenses/codes/itq-rotation.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-hashing.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/hashing-rows.h"

/* ---- The iteration of ITQ ---- */

static ItqRotation *
rotation_of (AssayView projected, gsize iterations, double beta)
{
  const ItqSettings settings = { .iterations = iterations,
                                 .beta = beta,
                                 .start = hashing_key ("start", 0),
                                 .flips = hashing_key ("flips", 0) };
  g_autoptr (GError) error = NULL;
  ItqRotation *rotation = itq_rotation_new (projected, &settings, &error);

  cr_assert (rotation != NULL, "%s", error != NULL ? error->message : "");
  return rotation;
}

/* ||sign (V R) - V R||^2 in double, of the rotation that is returned. */
static double
naive_loss (AssayView v, const AssayMatrix *rotation)
{
  double loss = 0;

  for (gsize i = 0; i < v.rows; i++)
    for (gsize j = 0; j < v.cols; j++) {
      double p = 0;

      for (gsize k = 0; k < v.cols; k++)
        p += (double) assay_view_row (v, i)[k] * (double) rotation->data[k * v.cols + j];
      loss += pow ((p > 0 ? 1 : -1) - p, 2);
    }
  return loss;
}

static void
assert_orthonormal (const AssayMatrix *rotation, const char *name)
{
  const gsize c = rotation->cols;

  for (gsize a = 0; a < c; a++)
    for (gsize b = 0; b < c; b++) {
      double product = 0;

      for (gsize k = 0; k < c; k++)
        product += (double) rotation->data[k * c + a] * (double) rotation->data[k * c + b];
      assert_near (product, a == b, 1e-5, "%s: columns %zu and %zu of %zu", name, a, b, c);
    }
}

/* A loss may rise by what float32 rounds off n c products. */
Test (hash_learning, loss_never_rises_and_rotations_stay_rotations)
{
  static const struct {
    gsize n, d, bits;
  } cases[] = { { 20, 8, 8 }, { 300, 20, 1 }, { 257, 30, 12 }, { 9000, 40, 32 } };

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    g_autoptr (AssayMatrix) rows = hashing_rows (cases[t].n, cases[t].d, t);
    g_autoptr (ItqEmbedding) embedding
        = itq_embedding_new (assay_matrix_view (rows), cases[t].bits, NULL);
    const AssayView v = assay_matrix_view (embedding->projected);
    g_autoptr (ItqRotation) rotation = rotation_of (v, 50, 0);
    const double first = rotation->losses[0], last = rotation->losses[rotation->n_iterations];

    for (gsize i = 1; i <= rotation->n_iterations; i++)
      cr_assert (rotation->losses[i] <= rotation->losses[i - 1] * (1 + 1e-6),
                 "case %zu: from %.9g to %.9g in iteration %zu", t, rotation->losses[i - 1],
                 rotation->losses[i], i);
    cr_assert (cases[t].bits == 1 || last < 0.99 * first, "case %zu: %g, then %g", t, first, last);
    assert_near (last, naive_loss (v, rotation->rotation), 1e-5 * last, "case %zu", t);
    assert_orthonormal (rotation->rotation, "itq");
  }
}

static guint asked;

static gboolean
is_interrupted (void)
{
  return asked++ >= 3;
}

/* A thousand iterations end with the one that is under way. */
Test (hash_learning, iteration_ends_upon_an_interrupt)
{
  g_autoptr (AssayMatrix) rows = hashing_rows (300, 20, 1);
  const ItqSettings settings = { .iterations = 1000, .start = hashing_key ("start", 0) };
  g_autoptr (GError) error = NULL;

  assay_interrupt_set_check (is_interrupted);
  cr_assert_null (itq_rotation_new (assay_matrix_view (rows), &settings, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED), "%s", error->message);
  cr_assert_eq (asked, 4);
}

/* Rows at the corners of a cube that was turned: ITQ turns it back, and the loss is nothing. In two
 * dimensions there is no other minimum to stop in. */
Test (hash_learning, a_turned_square_is_turned_back)
{
  g_autoptr (AssayMatrix) rows = assay_matrix_new (400, 2, NULL);
  g_autoptr (ItqRotation) rotation = NULL;
  const double c = cos (0.3), s = sin (0.3);

  for (gsize i = 0; i < 400; i++) {
    const double x = i % 2 == 0 ? 1 : -1, y = i % 4 < 2 ? 1 : -1;

    rows->data[2 * i] = (float) (c * x - s * y);
    rows->data[2 * i + 1] = (float) (s * x + c * y);
  }
  rotation = rotation_of (assay_matrix_view (rows), 50, 0);
  assert_near (rotation->losses[rotation->n_iterations], 0, 400 * 2 * 1e-12, "loss");
  cr_assert (rotation->end == ITQ_CONVERGED && rotation->n_iterations < 50, "%zu iterations",
             rotation->n_iterations);
}

/* One step from a known rotation, against Procrustes' problem solved by its conditions: of all
 * rotations R the trace of R'(V'U) is largest where V'U R' is symmetric and has no negative
 * eigenvalue. */
Test (hash_learning, procrustes_is_solved)
{
  const gsize n = 500, c = 6;
  g_autoptr (AssayMatrix) v = hashing_rows (n, c, 3);
  g_autoptr (ItqRotation) before = rotation_of (assay_matrix_view (v), 1, 0);
  g_autoptr (ItqRotation) after = rotation_of (assay_matrix_view (v), 2, 0);
  g_autofree double *product = g_new0 (double, c *c), *turned = g_new0 (double, c *c);
  double values[6];

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < c; j++) {
      double p = 0;

      for (gsize k = 0; k < c; k++)
        p += (double) v->data[i * c + k] * (double) before->rotation->data[k * c + j];
      for (gsize k = 0; k < c; k++)
        product[k * c + j] += (double) v->data[i * c + k] * (p > 0 ? 1 : -1);
    }
  for (gsize a = 0; a < c; a++)
    for (gsize b = 0; b < c; b++)
      for (gsize k = 0; k < c; k++)
        turned[a * c + b] += product[a * c + k] * (double) after->rotation->data[b * c + k];
  for (gsize a = 0; a < c; a++)
    for (gsize b = 0; b < a; b++)
      assert_near (turned[a * c + b], turned[b * c + a], 1e-4 * (double) n, "%zu, %zu", a, b);
  cr_assert (assay_linalg_symmetric_eigen (c, c, turned, values, NULL, NULL));
  cr_assert (values[c - 1] > 0, "%g", values[c - 1]);
}

Test (hash_learning, pitq_without_flips_is_itq)
{
  g_autoptr (AssayMatrix) rows = hashing_rows (700, 16, 5);
  const AssayView view = assay_matrix_view (rows);
  const HashSettings settings = { .bits = 10, .iterations = 20 };
  const HashTraining training = { .rows = view, .stream = hashing_key ("start", 0) };
  g_autoptr (AssayHashFunction) itq = itq_learn (&training, &settings, NULL);
  g_autoptr (ItqEmbedding) embedding = itq_embedding_new (view, 10, NULL);
  const ItqSettings iteration = { .iterations = 20,
                                  .beta = 0,
                                  .start = hashing_key ("start", 0),
                                  .flips = hashing_key ("other flips", 0) };
  g_autofree float *signs = g_new (float, 700 * 10), *rotation = g_new (float, 100);
  g_autoptr (AssayArray) codes = assay_hash_function_codes (itq, view, NULL);
  gsize differ = 0;

  cr_assert (pitq_run (embedding, &iteration, signs, rotation, NULL));
  for (gsize i = 0; i < 700; i++)
    for (gsize j = 0; j < 10; j++)
      differ += assay_code_bit (codes->data + 2 * i, j) != (signs[i * 10 + j] > 0);
  /* Two orders of float32 products, which may differ about 0: of 7000, 1e-6 are so near. */
  cr_assert (differ <= 1, "%zu bits", differ);
}

/* With flips the codes are other ones, and with beta above 1/2 the rotation is reflected in every
 * iteration: nearly all signs of U are turned, so that R aligns V with -U. */
Test (hash_learning, pitq_with_flips)
{
  g_autoptr (AssayMatrix) rows = hashing_rows (900, 12, 6);
  g_autoptr (ItqEmbedding) embedding = itq_embedding_new (assay_matrix_view (rows), 8, NULL);
  const AssayView v = assay_matrix_view (embedding->projected);
  g_autoptr (ItqRotation) once = rotation_of (v, 1, 0), reflected = rotation_of (v, 1, 1 - 1e-9);
  g_autoptr (ItqRotation) noisy = rotation_of (v, 10, 0.3), plain = rotation_of (v, 10, 0);
  g_autoptr (ItqRotation) again = rotation_of (v, 10, 0.3);

  for (gsize i = 0; i < 64; i++)
    assert_near ((double) reflected->rotation->data[i], -(double) once->rotation->data[i], 1e-5,
                 "%zu", i);
  cr_assert (memcmp (noisy->rotation->data, again->rotation->data, 64 * sizeof (float)) == 0);
  cr_assert (memcmp (noisy->rotation->data, plain->rotation->data, 64 * sizeof (float)) != 0);
  cr_assert (noisy->n_iterations == 10 && noisy->end == ITQ_ITERATIONS);
  assert_orthonormal (noisy->rotation, "pitq");
}

/* Duplicates have one code, whatever the flips; down to two records of two numbers. */
Test (hash_learning, pitq_of_small_datasets)
{
  for (gsize n = 2; n <= 16; n++)
    for (gsize bits = 1; bits <= 2; bits++) {
      g_autoptr (AssayMatrix) rows = fixture_normal (n, 2, n);
      g_autoptr (ItqEmbedding) embedding = NULL;
      g_autofree float *signs = g_new (float, n *bits);

      memcpy (assay_matrix_row (rows, n - 1), rows->data, 2 * sizeof (float));
      embedding = itq_embedding_new (assay_matrix_view (rows), bits, NULL);
      for (guint64 trial = 0; trial < 20; trial++) {
        const ItqSettings settings = { .iterations = 5,
                                       .beta = 0.9,
                                       .start = hashing_key ("start", trial),
                                       .flips = hashing_key ("flips", trial) };

        cr_assert (pitq_run (embedding, &settings, signs, NULL, NULL));
        for (gsize j = 0; j < bits; j++)
          cr_assert (fabsf (signs[j]) == 1 && signs[j] == signs[(n - 1) * bits + j],
                     "%zu records, %zu bits", n, bits);
      }
    }
}

/* ---- Functions that are learned ---- */

Test (hash_learning, itq_projection_is_orthonormal_and_centred)
{
  g_autoptr (AssayMatrix) rows = hashing_rows (600, 24, 7);
  const HashSettings settings = { .bits = 16, .iterations = 50 };
  const HashTraining training
      = { .rows = assay_matrix_view (rows), .stream = hashing_key ("t", 0) };
  g_autoptr (AssayHashFunction) function = itq_learn (&training, &settings, NULL);
  g_autoptr (AssayMatrix) margins
      = assay_hash_function_margins (function, assay_matrix_view (rows), NULL);
  g_autoptr (AssayPrincipal) principal = assay_principal_new (assay_matrix_view (rows), 16, NULL);
  double variance = 0, expected = 0;

  for (gsize a = 0; a < 16; a++)
    for (gsize b = 0; b < 16; b++) {
      double product = 0;

      for (gsize k = 0; k < 24; k++)
        product += (double) function->projection->data[a * 24 + k]
                   * (double) function->projection->data[b * 24 + k];
      assert_near (product, a == b, 1e-5, "rows %zu and %zu", a, b);
    }
  for (gsize i = 0; i < 600 * 16; i++)
    variance += (double) margins->data[i] * (double) margins->data[i] / 600;
  for (gsize j = 0; j < 16; j++)
    expected += principal->values[j];
  assert_near (variance, expected, 1e-5 * expected, "of all components");
}

/* Margins near 0 may fall on either side; those of a wave of frequency w are off by w times what
 * components are off by, about 1e-5 of frequencies up to 20. */
Test (hash_learning, spectral_hashing_like_the_naive_one)
{
  static const struct {
    gsize n, d, bits;
  } cases[] = { { 30, 4, 3 }, { 200, 6, 12 }, { 300, 20, 20 }, { 150, 2, 16 }, { 12, 16, 6 } };

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    const gsize n = cases[t].n, bits = cases[t].bits;
    g_autoptr (AssayMatrix) rows = hashing_rows (n, cases[t].d, 10 + t);
    const AssayView view = assay_matrix_view (rows);
    const HashSettings settings = { .bits = (gint64) bits };
    const HashTraining training = { .rows = view, .stream = hashing_key ("t", 0) };
    g_autoptr (AssayHashFunction) function = sh_learn (&training, &settings, NULL);
    g_autoptr (AssayMatrix) margins = assay_hash_function_margins (function, view, NULL);
    g_autofree double *expected = naive_spectral_margins (view, bits);

    for (gsize i = 0; i < n * bits; i++)
      assert_near ((double) margins->data[i], expected[i], 2e-4, "case %zu, row %zu, bit %zu", t,
                   i / bits, i % bits);
  }
}

/* A bit of two rows at the angle t differs with probability t / pi. */
Test (hash_learning, random_projections_measure_angles)
{
  enum { BITS = 1000 };
  static const double angles[] = { 0.1, 0.5, G_PI / 2, 2.5 };
  const HashSettings settings = { .bits = BITS };

  for (gsize t = 0; t < G_N_ELEMENTS (angles); t++) {
    const float x = (float) cos (angles[t]), y = (float) sin (angles[t]);
    const float values[] = { 8, 7, 6 + x, 7 + y, 6, 7, 8 - x, 7 - y, 7, 7 };
    const AssayView rows = { 5, 2, 2, values };
    const HashTraining training = { .rows = rows, .stream = hashing_key ("lsh", t) };
    const float seen[] = { 8, 7, 7 + x, 7 + y };
    g_autoptr (AssayHashFunction) function = lsh_learn (&training, &settings, NULL);
    g_autoptr (AssayArray) codes
        = assay_hash_function_codes (function, (AssayView){ 2, 2, 2, seen }, NULL);
    const double p = angles[t] / G_PI;
    double differ = 0;

    assert_near ((double) function->mean->data[0], 7, 1e-6, "mean of the rows");
    for (gsize j = 0; j < BITS; j++)
      differ += assay_code_bit (codes->data, j)
                != assay_code_bit (codes->data + assay_code_bytes (BITS), j);
    assert_near (differ / BITS, p, 5 * sqrt (p * (1 - p) / BITS), "angle %g", angles[t]);
  }
}
