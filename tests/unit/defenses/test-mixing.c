/* The defenses that mix images: mixtures against their definition, and keys that are used once. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/mixing-release.h"

extern const AssayDefense assay_defense_mixup;

/* Every image is the sum that the truth says, of @s secrets and @p public rows, up to signs. The
 * one rounding is that to float32. */
static void
check_sums (const Made *made, const Material *material, gsize s, gsize p)
{
  const gsize n = assay_release_count (made->release), cols = material->secrets->cols, k = s + p;
  const gint64 *sources = mixing_whole (made, "sources");
  const gint64 *partners = p > 0 ? mixing_whole (made, "partners") : NULL;
  g_autofree float *row = g_new (float, cols);

  for (gsize i = 0; i < n; i++) {
    const float *lambda = mixing_coefficients (made) + i * k;
    g_autofree double *sum = g_new0 (double, cols);

    for (gsize j = 0; j < k; j++) {
      const gsize member = (gsize) (j < s ? sources[i * s + j] : partners[i * p + j - s]);

      if (j < s)
        memcpy (row, material->secrets->data + member * cols, cols * sizeof *row);
      else
        assay_rows_read (material->public_rows, member, 1, ASSAY_SCALE_NONE, row);
      for (gsize c = 0; c < cols; c++)
        sum[c] += (double) lambda[j] * row[c];
    }
    for (gsize c = 0; c < cols; c++)
      assert_near (fabs ((double) mixing_images (made)[i * cols + c]), fabs (sum[c]),
                   1e-7 * fabs (sum[c]) + 1e-15, "image %zu, column %zu", i, c);
  }
}

Test (mixing, images_are_the_sums_that_the_truth_says)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (40, 301, 1);
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (90, 301, 2);
  const Material material = { .secrets = secrets, .public_rows = public_rows };
  g_auto (Made) within = { 0 };
  g_auto (Made) once = { 0 };
  g_auto (Made) inside = { 0 };
  g_auto (Made) cross = { 0 };

  mixing_make (&assay_defense_mixup, "k=3 epochs=2", &material, &within);
  mixing_make (&assay_defense_mixup, "k=4 variant=public-once", &material, &once);
  mixing_make (&assay_defense_instahide_inside, "k=5 mask=no", &material, &inside);
  mixing_make (&assay_defense_instahide_cross, "k=6 epochs=3", &material, &cross);
  check_sums (&within, &material, 3, 0);
  check_sums (&once, &material, 1, 3);
  check_sums (&inside, &material, 5, 0);
  check_sums (&cross, &material, 2, 4);
  cr_assert (assay_release_count (within.release) == 80 && assay_release_count (once.release) == 40
             && assay_release_count (cross.release) == 120);
  cr_assert (assay_arrays_get (&within.truth->arrays, "partners") == NULL);
  cr_assert (assay_arrays_get (&within.release->arrays, "labels") == NULL);
  for (gsize i = 0; i < 120; i++) {
    const float *lambda = mixing_coefficients (&cross) + i * 6;

    cr_assert (mixing_whole (&cross, "owners")[i] == (gint64) (i % 40)
               && mixing_whole (&cross, "sources")[i * 2] == (gint64) (i % 40));
    cr_assert ((double) lambda[0] + lambda[1] >= 0.3);
    for (gsize j = 0; j < 6; j++)
      cr_assert ((double) lambda[j] <= 0.65);
  }
}

/* With k = 1 nothing is mixed, and no bound holds: images as they are, or under a mask alone. */
Test (mixing, one_image_is_itself)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (20, 301, 1);
  const Material material = { .secrets = secrets };
  g_auto (Made) plain = { 0 };
  g_auto (Made) masked = { 0 };
  gsize n_other = 0;

  mixing_make (&assay_defense_mixup, "k=1 epochs=2 coefficients=fixed alpha=0.9", &material,
               &plain);
  mixing_make (&assay_defense_instahide_inside, "k=1", &material, &masked);
  check_sums (&plain, &material, 1, 0);
  check_sums (&masked, &material, 1, 0);
  cr_assert_eq (assay_release_count (plain.release), 40);
  for (gsize i = 0; i < 20; i++)
    cr_assert (mixing_coefficients (&masked)[i] == 1 && mixing_whole (&masked, "sources")[i]
                                                            == (gint64) i);
  assert_near (*ASSAY_PARAMETER (plain.release, AssayMixturesParameters, owner_share), 1, 0,
               "share of the owner");
  for (gsize i = 0; i < 20 * 301; i++)
    n_other += mixing_images (&masked)[i] != secrets->data[i];
  assert_near ((double) n_other / (20 * 301), 0.5, 0.033, "signs"); /* 5 deviations */
  cr_assert_arr_eq (mixing_images (&plain), secrets->data, 20 * 301 * sizeof (float));
}

/* Each class has the coefficients of the secrets of it; those of public images belong to none. */
Test (mixing, labels_are_mixed_alike)
{
  enum { SECRETS = 30 };
  static const struct {
    const AssayDefense *defense;
    const char *assignments;
    gsize s, p;
  } cases[] = { { &assay_defense_mixup, "k=4", 4, 0 },
                { &assay_defense_mixup, "k=4 variant=public-once", 1, 3 },
                { &assay_defense_instahide_inside, "k=3", 3, 0 },
                { &assay_defense_instahide_cross, "k=4", 2, 2 } };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, 5, 1);
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (90, 5, 2);
  gint64 labels[SECRETS];
  const Material material = { .secrets = secrets, .public_rows = public_rows, .labels = labels };

  for (gsize i = 0; i < SECRETS; i++)
    labels[i] = (gint64) (i * i % CLASSES);
  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    const gsize s = cases[t].s, k = s + cases[t].p;
    g_auto (Made) made = { 0 };
    AssayView found;

    mixing_make (cases[t].defense, cases[t].assignments, &material, &made);
    found = assay_array_view (assay_arrays_get (&made.release->arrays, "labels"));
    cr_assert (found.rows == SECRETS && found.cols == CLASSES);
    for (gsize i = 0; i < SECRETS; i++) {
      const float *lambda = mixing_coefficients (&made) + i * k;
      double expected[CLASSES] = { 0 }, sum = 0, private_sum = 0;

      for (gsize j = 0; j < s; j++) {
        expected[labels[mixing_whole (&made, "sources")[i * s + j]]] += lambda[j];
        private_sum += lambda[j];
      }
      for (gsize c = 0; c < CLASSES; c++) {
        assert_near ((double) assay_view_row (found, i)[c], expected[c], 2e-7, "class %zu", c);
        sum += assay_view_row (found, i)[c];
      }
      assert_near (sum, cases[t].p == 0 ? 1 : private_sum, 4e-7, "image %zu", i);
    }
  }
}

/* ---- Keys are used once ---- */

/* In every epoch each secret is in k images, and no image has one twice; down to a Latin square. */
Test (mixing, secrets_are_permuted)
{
  enum { EPOCHS = 40 };
  static const gsize sizes[][2] = { { 2, 2 }, { 4, 4 }, { 5, 4 }, { 9, 9 }, { 7, 3 }, { 400, 6 } };

  for (gsize t = 0; t < G_N_ELEMENTS (sizes); t++) {
    const gsize n = sizes[t][0], k = sizes[t][1];
    g_autofree char *assignments = g_strdup_printf ("k=%zu epochs=%d", k, EPOCHS);
    g_autoptr (AssayMatrix) secrets = fixture_normal (n, 2, 1);
    const Material material = { .secrets = secrets };
    g_auto (Made) made = { 0 };
    const gint64 *sources;

    mixing_make (&assay_defense_mixup, assignments, &material, &made);
    sources = mixing_whole (&made, "sources");
    for (gsize epoch = 0; epoch < EPOCHS; epoch++)
      for (gsize column = 0; column < k; column++) {
        g_autofree gboolean *is_there = g_new0 (gboolean, n);

        for (gsize i = 0; i < n; i++) {
          const gint64 *own = sources + (epoch * n + i) * k;

          cr_assert (!is_there[own[column]], "n = %zu, k = %zu: twice in a column", n, k);
          is_there[own[column]] = TRUE;
          cr_assert (column > 0 || own[0] == (gint64) i);
          for (gsize j = 0; j < column; j++)
            cr_assert (own[j] != own[column], "n = %zu, k = %zu: twice in an image", n, k);
        }
      }
  }
}

/* Over epochs, every other secret is as likely a partner as any, and whom one epoch chose says
 * nothing of the next. */
Test (mixing, partners_are_fresh_and_fair)
{
  enum { SECRETS = 7, EPOCHS = 3000, K = 3 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, 2, 1);
  const Material material = { .secrets = secrets };
  g_auto (Made) made = { 0 };
  const gint64 *sources;

  mixing_make (&assay_defense_instahide_inside, "k=3 epochs=3000", &material, &made);
  sources = mixing_whole (&made, "sources");
  for (gsize i = 0; i < SECRETS; i++)
    for (gsize column = 1; column < K; column++) {
      gsize counts[SECRETS - 1] = { 0 }, turns[SECRETS - 1] = { 0 };

      for (gsize epoch = 0; epoch < EPOCHS; epoch++) {
        const gsize own = (gsize) sources[(epoch * SECRETS + i) * K + column];
        const gsize place = own < i ? own : own - 1;

        counts[place]++;
        if (epoch % 2 == 1) {
          const gsize before = (gsize) sources[((epoch - 1) * SECRETS + i) * K + column];

          turns[(place + SECRETS - 1 - (before < i ? before : before - 1)) % (SECRETS - 1)]++;
        }
      }
      cr_assert (sample_chi_square (counts, SECRETS - 1)
                     < sample_chi_square_bound (SECRETS - 1, ALPHA),
                 "secret %zu, column %zu: %g", i, column, sample_chi_square (counts, SECRETS - 1));
      cr_assert (sample_chi_square (turns, SECRETS - 1)
                     < sample_chi_square_bound (SECRETS - 1, ALPHA),
                 "secret %zu, column %zu", i, column);
    }
}

/* ---- The rest of the contract ---- */

Test (mixing, is_the_same_for_any_number_of_threads)
{
  enum { SECRETS = 90, COLS = 77, EPOCHS = 2 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (100, COLS, 2);
  const Material material = { .secrets = secrets,
                              .public_rows = public_rows,
                              .geometry = { .height = 7, .width = 11, .channels = 1 } };
  g_auto (Made) one = { 0 };
  g_auto (Made) three = { 0 };

  assay_parallel_set_threads (1);
  mixing_make (&assay_defense_instahide_cross, "epochs=2 crops=3", &material, &one);
  assay_parallel_set_threads (3);
  mixing_make (&assay_defense_instahide_cross, "epochs=2 crops=3", &material, &three);
  cr_assert_arr_eq (mixing_images (&one), mixing_images (&three),
                    EPOCHS * SECRETS * COLS * sizeof (float));
  cr_assert_arr_eq (mixing_coefficients (&one), mixing_coefficients (&three),
                    EPOCHS * SECRETS * 4 * sizeof (float));
}

Test (mixing, refuses_material_that_does_not_fit)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (4, 3, 1);
  g_autoptr (AssayMatrix) none = fixture_normal (0, 3, 1);
  g_autoptr (AssayRows) wide = fixture_normal_rows (9, 4, 2);
  const gint64 labels[] = { 0, 2, CLASSES, -1 };
  const Material wrong_label = { .secrets = secrets, .labels = labels };
  const Material wrong_rows = { .secrets = secrets, .public_rows = wide };
  const Material nothing = { .secrets = none };
  g_auto (Made) first = { 0 };
  g_auto (Made) second = { 0 };
  g_auto (Made) third = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!mixing_try (&assay_defense_mixup, "k=2", &wrong_label, &first, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "the label of secret 2 is 3; expected less than 3, the number of "
                               "classes, and no negative number",
                               NULL, &why),
             "%s", why);
  cr_assert (!mixing_try (&assay_defense_instahide_cross, "k=4", &wrong_rows, &second, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "expected 2 or more public rows of 3 columns", NULL, &why),
             "%s", why);
  g_clear_pointer (&why, g_free);
  cr_assert (!mixing_try (&assay_defense_mixup, "k=2", &nothing, &third, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, "expected 2 or more secrets, found 0",
                               NULL, &why),
             "%s", why);
}
