/* What an attacker learns of codes, against codes whose directions and flips are known. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/adaptive/bit-model.h"
#include "tests/reference/fixtures.h"

enum { D = 8, K = 24, ROWS = 3000, TRIED = 100 };

/* Bits of the rows by fixed directions, each flipped with the probability @flips. */
static AssayMatrix *
make_bits (const AssayMatrix *rows, double flips)
{
  g_autoptr (AssayMatrix) directions = fixture_normal (K, D, 1);
  AssayMatrix *bits = assay_matrix_new (rows->rows, K, NULL);
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "flips", ""), 0);

  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < K; j++) {
      double margin = 0;

      for (gsize c = 0; c < D; c++)
        margin += (double) directions->data[j * D + c] * (double) rows->data[i * D + c];
      bits->data[i * K + j]
          = (float) ((margin > 0 ? 1 : -1) * (assay_stream_uniform (&stream) < flips ? -1 : 1));
    }
  return bits;
}

/* Of how many of the first rows is its code likelier than of all others tried? */
static gsize
count_first (const BitModel *model, const AssayMatrix *rows, const AssayMatrix *bits)
{
  double own[TRIED];
  g_autoptr (AssayMatrix) seen
      = bit_model_see (model, assay_view_rows (assay_matrix_view (rows), 0, TRIED), own, NULL);
  gsize n_first = 0;

  for (gsize i = 0; i < TRIED; i++) {
    gsize best = 0;
    double most = -INFINITY;

    for (gsize c = 0; c < TRIED; c++) {
      double score = own[c];

      for (gsize j = 0; j < K; j++)
        score += (double) seen->data[c * K + j] * (double) bits->data[i * K + j];
      /* A likelihood: never above 1. */
      cr_assert_leq (score, 1e-6);
      if (score > most) {
        most = score;
        best = c;
      }
    }
    n_first += best == i;
  }
  return n_first;
}

/* The same of who knows the directions: by the number of bits that differ, the first of equals. */
static gsize
count_nearest (const AssayMatrix *plain, const AssayMatrix *bits)
{
  gsize n_first = 0;

  for (gsize i = 0; i < TRIED; i++) {
    gsize best = 0;
    double most = -INFINITY;

    for (gsize c = 0; c < TRIED; c++) {
      double score = 0;

      for (gsize j = 0; j < K; j++)
        score += (double) plain->data[c * K + j] * (double) bits->data[i * K + j];
      if (score > most) {
        most = score;
        best = c;
      }
    }
    n_first += best == i;
  }
  return n_first;
}

Test (bit_model, directions_and_flips_are_found)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (ROWS, D, 500000);
  const double flips[] = { 0, 0.1, 0.3 };
  g_autoptr (AssayMatrix) plain = make_bits (rows, 0);

  for (guint f = 0; f < G_N_ELEMENTS (flips); f++) {
    g_autoptr (AssayMatrix) bits = make_bits (rows, flips[f]);
    g_autoptr (BitModel) model
        = bit_model_new (assay_matrix_view (rows), assay_matrix_view (bits), 0, NULL);
    const gsize first = count_first (model, rows, bits), known = count_nearest (plain, bits);

    cr_assert_float_eq (bit_model_flips (model), flips[f], 0.03);
    cr_assert (first + 5 >= known && known > 10, "flips %g: %zu of %zu", flips[f], first, known);
  }
}

/* Records that differ are judged more mildly, and bits that never change say nothing. */
Test (bit_model, noise_and_constant_bits)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (400, D, 500000);
  g_autoptr (AssayMatrix) bits = make_bits (rows, 0);
  g_autoptr (BitModel) sharp = NULL;
  g_autoptr (BitModel) mild = NULL;
  g_autoptr (AssayMatrix) of_sharp = NULL;
  g_autoptr (AssayMatrix) of_mild = NULL;
  double own[TRIED];
  double sum_sharp = 0, sum_mild = 0;

  for (gsize i = 0; i < 400; i++)
    bits->data[i * K] = 1;
  sharp = bit_model_new (assay_matrix_view (rows), assay_matrix_view (bits), 0, NULL);
  mild = bit_model_new (assay_matrix_view (rows), assay_matrix_view (bits), 0.5, NULL);
  of_sharp = bit_model_see (sharp, assay_view_rows (assay_matrix_view (rows), 0, TRIED), own, NULL);
  of_mild = bit_model_see (mild, assay_view_rows (assay_matrix_view (rows), 0, TRIED), own, NULL);
  for (gsize i = 0; i < TRIED; i++) {
    cr_assert_eq (of_sharp->data[i * K], of_sharp->data[0]);
    for (gsize j = 1; j < K; j++) {
      sum_sharp += fabs ((double) of_sharp->data[i * K + j]);
      sum_mild += fabs ((double) of_mild->data[i * K + j]);
    }
  }
  cr_assert_lt (sum_mild, 0.7 * sum_sharp);
}
