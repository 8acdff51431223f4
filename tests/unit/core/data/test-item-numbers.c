/* The numbers of released items say the same where a release only looks different. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/kinds/item-numbers.h"
#include "core/data/kinds/mixtures.h"
#include "core/math/linalg.h"
#include "tests/reference/fixtures.h"

enum { ITEMS = 5, COLS = 12, DIMENSION = 3, PROBES = 2 };

static const AssayView none = { 0 };

static void
check_equal (const AssayMatrix *a, const AssayMatrix *b, double within)
{
  cr_assert (a->rows == b->rows && a->cols == b->cols);
  for (gsize i = 0; i < a->rows * a->cols; i++)
    cr_assert (fabs ((double) a->data[i] - (double) b->data[i]) <= within, "number %zu: %g and %g",
               i, (double) a->data[i], (double) b->data[i]);
}

/* ---- Subspaces ---- */

/* Orthonormal rows that span those of @item among random numbers, mixed by @mix. */
static void
fill_basis (gsize item, gboolean is_mixed, float *ret_basis)
{
  g_autoptr (AssayMatrix) drawn = fixture_normal (DIMENSION, COLS, 100 + item);
  double rows[DIMENSION * COLS];

  for (gsize k = 0; k < DIMENSION; k++)
    for (gsize j = 0; j < COLS; j++)
      rows[k * COLS + j]
          = (double) drawn->data[k * COLS + j]
            + (is_mixed ? 2 * (double) drawn->data[(k + 1) % DIMENSION * COLS + j] : 0);
  cr_assert (assay_linalg_orthonormalize (rows, DIMENSION, COLS, NULL));
  for (gsize i = 0; i < DIMENSION * COLS; i++)
    ret_basis[i] = (float) rows[i];
}

/* The same subspaces, told by other points and other bases where @is_other. */
static AssayRelease *
subspaces (gboolean is_other)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_SUBSPACES, "test");
  AssayMatrix *translation = fixture_normal (ITEMS, COLS, 1);
  float *basis = g_new (float, ITEMS *DIMENSION *COLS);
  const gsize shape[] = { ITEMS, DIMENSION, COLS };

  for (gsize i = 0; i < ITEMS; i++) {
    float *own = basis + i * DIMENSION * COLS;

    fill_basis (i, is_other, own);
    for (gsize j = 0; is_other && j < COLS; j++)
      translation->data[i * COLS + j] += 3 * own[j] - 2 * own[COLS + j];
  }
  assay_arrays_take (&release->arrays, "translation", assay_array_take_matrix (translation));
  assay_arrays_take (&release->arrays, "basis", assay_array_take (ASSAY_FLOAT32, 3, shape, basis));
  cr_assert (assay_release_check (release, NULL));
  return release;
}

Test (item_numbers, subspaces_do_not_know_their_basis)
{
  g_autoptr (AssayRelease) one = subspaces (FALSE);
  g_autoptr (AssayRelease) other = subspaces (TRUE);
  g_autoptr (AssayMatrix) probes = fixture_normal (PROBES, COLS, 7);
  g_autoptr (AssayMatrix) a = assay_item_numbers (one, assay_matrix_view (probes), NULL);
  g_autoptr (AssayMatrix) b = assay_item_numbers (other, assay_matrix_view (probes), NULL);
  const AssayArray *first = assay_arrays_get (&one->arrays, "basis");
  const AssayArray *second = assay_arrays_get (&other->arrays, "basis");

  cr_assert (memcmp (first->data, second->data, COLS * sizeof (float)) != 0);
  cr_assert_eq (a->cols, (1 + PROBES) * COLS);
  check_equal (a, b, 2e-5);
}

/* The point nearest to the origin is orthogonal to every direction, and a probe's projection is its
 * own projection. */
Test (item_numbers, subspaces_give_what_they_say)
{
  g_autoptr (AssayRelease) release = subspaces (FALSE);
  g_autoptr (AssayMatrix) probes = fixture_normal (PROBES, COLS, 7);
  g_autoptr (AssayMatrix) found = assay_item_numbers (release, assay_matrix_view (probes), NULL);
  const AssaySubspaces of = assay_release_subspaces (release);

  for (gsize i = 0; i < ITEMS; i++)
    for (gsize k = 0; k < DIMENSION; k++) {
      const float *direction = of.basis + (i * DIMENSION + k) * COLS;
      double point = 0, probe = 0, projected = 0;

      for (gsize j = 0; j < COLS; j++) {
        point += (double) direction[j] * (double) assay_matrix_row (found, i)[j];
        probe += (double) direction[j] * (double) probes->data[COLS + j];
        projected += (double) direction[j] * (double) assay_matrix_row (found, i)[2 * COLS + j];
      }
      cr_assert (fabs (point) < 1e-5 && fabs (probe - projected) < 1e-5);
    }
}

/* ---- Mixtures ---- */

static AssayRelease *
mixtures (gboolean is_flipped, gboolean is_masked)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");
  AssayMatrix *images = fixture_normal (ITEMS, COLS, 3);

  for (gsize i = 0; is_flipped && i < ITEMS * COLS; i += 2)
    images->data[i] = -images->data[i];
  assay_arrays_take (&release->arrays, "images", assay_array_take_matrix (images));
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, mask, (bool) is_masked);
  return release;
}

Test (item_numbers, mixtures_do_not_know_their_signs)
{
  g_autoptr (AssayRelease) one = mixtures (FALSE, TRUE);
  g_autoptr (AssayRelease) other = mixtures (TRUE, TRUE);
  g_autoptr (AssayRelease) plain = mixtures (FALSE, FALSE);
  g_autoptr (AssayMatrix) a = assay_item_numbers (one, none, NULL);
  g_autoptr (AssayMatrix) b = assay_item_numbers (other, none, NULL);
  g_autoptr (AssayMatrix) c = assay_item_numbers (plain, none, NULL);
  const float *image
      = (const float *) (gconstpointer) assay_arrays_get (&plain->arrays, "images")->data;

  cr_assert_eq (a->cols, 2 * COLS);
  check_equal (a, b, 0);
  cr_assert_eq (c->cols, COLS);
  cr_assert_eq (memcmp (c->data, image, ITEMS * COLS * sizeof (float)), 0);
  cr_assert_float_eq (a->data[COLS + 1], image[1] * image[1], 1e-6);
}

/* ---- Codes and sets ---- */

Test (item_numbers, codes_give_their_bits)
{
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_CODES, "test");
  const guint8 bits[] = { 0x05, 0x02, 0x80, 0x01 };
  const gsize shape[] = { 2, 2 };
  g_autoptr (AssayMatrix) found = NULL;

  release->bits = 10;
  assay_arrays_take (&release->arrays, "codes",
                     assay_array_take (ASSAY_UINT8, 2, shape, g_memdup2 (bits, sizeof bits)));
  found = assay_item_numbers (release, none, NULL);
  cr_assert_eq (found->cols, 10);
  for (gsize j = 0; j < 10; j++) {
    cr_assert_eq (found->data[j], j == 0 || j == 2 || j == 9 ? 1 : -1);
    cr_assert_eq (found->data[10 + j], j == 7 || j == 8 ? 1 : -1);
  }
}

Test (item_numbers, sets_do_not_know_their_order)
{
  static const gint64 members[2][4] = { { 1, 2, 5, 0 }, { 5, 0, 1, 2 } };
  const gsize shape[] = { 1, 4 };
  AssayMatrix *found[2];

  for (guint s = 0; s < 2; s++) {
    g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "test");

    assay_arrays_take (
        &release->arrays, "sets",
        assay_array_take (ASSAY_INT64, 2, shape, g_memdup2 (members[s], sizeof members[s])));
    assay_arrays_take (&release->arrays, "dictionary",
                       assay_array_take_matrix (fixture_normal (6, COLS, 2)));
    found[s] = assay_item_numbers (release, none, NULL);
  }
  cr_assert_eq (found[0]->cols, COLS + 6);
  check_equal (found[0], found[1], 1e-6);
  for (gsize k = 0; k < 6; k++)
    cr_assert_eq (found[0]->data[COLS + k], k == 1 || k == 2 || k == 5 || k == 0 ? 1 : 0);
  assay_matrix_free (found[0]);
  assay_matrix_free (found[1]);
}
