/* What InstaHide adds to mixtures: public images and their windows, and masks. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/mixing-release.h"

#define DEVIATIONS 5.0 /* of a normal: exceeded with chance 6e-7 */

/* While there are enough public images none is used twice; then as rarely as can be, and from a
 * deck in another order: it deals the same again with chance 1 / 24 (of four) or 1 / 720 (three of
 * ten), seven times of 20 or 40 with chance 2e-5 at most. */
Test (mixing_instahide, public_images_are_dealt)
{
  static const struct {
    gsize n_public, decks;
  } cases[] = { { 120, 1 }, { 119, 2 }, { 10, 14 }, { 4, 20 } };
  g_autoptr (AssayMatrix) secrets = fixture_normal (20, 3, 1);

  for (gsize t = 0; t < G_N_ELEMENTS (cases); t++) {
    g_autoptr (AssayRows) public_rows = fixture_normal_rows (cases[t].n_public, 3, 2);
    const Material material = { .secrets = secrets, .public_rows = public_rows };
    g_autofree gsize *uses = g_new0 (gsize, cases[t].n_public);
    g_auto (Made) made = { 0 };
    const gint64 *partners;
    gsize n_again = 0;

    /* 40 images of 3 public ones each, or of 4 for the last. */
    const gsize p = cases[t].n_public == 4 ? 4 : 3, images = p == 4 ? 20 : 40;
    const gsize per_deck = cases[t].n_public / p;
    g_autofree char *assignments = g_strdup_printf ("k=%zu epochs=%zu", p + 2, images / 20);

    mixing_make (&assay_defense_instahide_cross, assignments, &material, &made);
    partners = mixing_whole (&made, "partners");
    for (gsize i = 0; i < images * p; i++) {
      uses[partners[i]]++;
      for (gsize j = i / p * p; j < i; j++)
        cr_assert (partners[j] != partners[i], "image %zu has a public image twice", i / p);
    }
    for (gsize i = per_deck; i < images; i++)
      n_again
          += memcmp (partners + i * p, partners + (i - per_deck) * p, p * sizeof *partners) == 0;
    cr_assert (n_again <= 6, "%zu of %zu images got what the deck before dealt there", n_again,
               images - per_deck);
    for (gsize r = 0; r < cases[t].n_public; r++)
      cr_assert (uses[r] <= cases[t].decks, "%zu public rows: %zu is used %zu times",
                 cases[t].n_public, r, uses[r]);
  }
}

/* One bit for each number: whether its sign was turned. */
static guint8 *
masks_of (const Made *masked, const Made *plain, gsize count)
{
  guint8 *masks = g_new (guint8, count);

  for (gsize i = 0; i < count; i++) {
    const float a = mixing_images (masked)[i], b = mixing_images (plain)[i];

    cr_assert (b != 0 && fabsf (a) == fabsf (b), "number %zu: %g and %g", i, (double) a,
               (double) b);
    masks[i] = a != b;
  }
  return masks;
}

/* The share of numbers @lag apart whose signs were treated alike. */
static double
alike (const guint8 *masks, gsize count, gsize lag)
{
  gsize n = 0;

  for (gsize i = 0; i + lag < count; i++)
    n += masks[i] == masks[i + lag];
  return (double) n / (double) (count - lag);
}

/* No bit of a mask is that of a coefficient. */
static void
check_apart_from_coefficients (const guint8 *masks, const Made *made, gsize n, gsize cols)
{
  for (gsize c = 0; c < cols; c++) {
    double n_alike = 0;

    for (gsize i = 0; i < n; i++)
      n_alike += masks[i * cols + c] == (mixing_coefficients (made)[i * 4] > 0.25f);
    assert_near (n_alike / (double) n, 0.5, DEVIATIONS * 0.5 / sqrt ((double) n), "pixel %zu", c);
  }
}

/* The mask turns signs and nothing else; by half, from number to number, image to image, epoch to
 * epoch and cell to cell independently. */
Test (mixing_instahide, masks_are_fair_and_used_once)
{
  enum { SECRETS = 50, COLS = 203, EPOCHS = 4, COUNT = EPOCHS * SECRETS * COLS };
  const double tolerance = DEVIATIONS * 0.5 / sqrt (COUNT - COUNT / 2);
  static const gsize lags[] = { 1, 2, 31, 32, 64, COLS, 2 * COLS, SECRETS * COLS };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  guint8 *masks[2] = { NULL };
  gsize n_other = 0;

  for (guint64 trial = 0; trial < 2; trial++) {
    const Material material = { .secrets = secrets, .trial = trial };
    g_autoptr (GHashTable) seen = g_hash_table_new (g_bytes_hash, g_bytes_equal);
    g_auto (Made) masked = { 0 };
    g_auto (Made) plain = { 0 };
    double share = 0;

    mixing_make (&assay_defense_instahide_inside, "epochs=4", &material, &masked);
    mixing_make (&assay_defense_instahide_inside, "epochs=4 mask=no", &material, &plain);
    masks[trial] = masks_of (&masked, &plain, COUNT);
    for (gsize i = 0; i < COUNT; i++)
      share += (double) masks[trial][i] / COUNT;
    check_apart_from_coefficients (masks[trial], &masked, EPOCHS * SECRETS, COLS);
    assert_near (share, 0.5, tolerance, "turned in cell %d", (int) trial);
    for (gsize l = 0; l < G_N_ELEMENTS (lags); l++)
      assert_near (alike (masks[trial], COUNT, lags[l]), 0.5, tolerance, "%zu apart", lags[l]);
    for (gsize i = 0; i < EPOCHS * SECRETS; i++)
      cr_assert (g_hash_table_add (seen, g_bytes_new_static (masks[trial] + i * COLS, COLS)),
                 "image %zu has the mask of another", i);
  }
  for (gsize i = 0; i < COUNT; i++)
    n_other += masks[0][i] != masks[1][i];
  assert_near ((double) n_other / COUNT, 0.5, tolerance, "between cells");
  g_free (masks[0]);
  g_free (masks[1]);
}

/* ---- Windows of public images ---- */

enum { HEIGHT = 4, WIDTH = 5, CHANNELS = 2, PIXELS = HEIGHT * WIDTH, CROPS = 1, WINDOWS = 18 };

/* Window number @window of @image: cut out of nine copies side by side, every second one mirrored,
 * then mirrored itself if its number is odd. */
static void
cut_window (const float *image, gsize window, float *ret_window)
{
  const gsize down = window / 2 / 3, right = window / 2 % 3; /* 1: where it is */
  float tiles[3 * HEIGHT][3 * WIDTH][CHANNELS];

  for (gsize y = 0; y < 3 * HEIGHT; y++)
    for (gsize x = 0; x < 3 * WIDTH; x++) {
      const gsize v = y / HEIGHT == 1 ? y % HEIGHT : HEIGHT - 1 - y % HEIGHT;
      const gsize u = x / WIDTH == 1 ? x % WIDTH : WIDTH - 1 - x % WIDTH;

      memcpy (tiles[y][x], image + (v * WIDTH + u) * CHANNELS, sizeof tiles[y][x]);
    }
  for (gsize y = 0; y < HEIGHT; y++)
    for (gsize x = 0; x < WIDTH; x++)
      memcpy (ret_window + (y * WIDTH + (window % 2 ? WIDTH - 1 - x : x)) * CHANNELS,
              tiles[HEIGHT - CROPS + down + y][WIDTH - CROPS + right + x], sizeof tiles[0][0]);
}

/* Both secrets of an image are windows of their own, and all are as likely. */
Test (mixing_instahide, secrets_are_cropped_and_flipped)
{
  enum { SECRETS = 30, EPOCHS = 60, COLS = PIXELS * CHANNELS };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  const Material material
      = { .secrets = secrets,
          .geometry = { .height = HEIGHT, .width = WIDTH, .channels = CHANNELS } };
  g_auto (Made) made = { 0 };
  gsize counts[2][WINDOWS] = { 0 };

  mixing_make (&assay_defense_instahide_inside,
               "k=2 mask=no epochs=60 private_crops=1 private_flips=yes", &material, &made);
  for (gsize i = 0; i < SECRETS * EPOCHS; i++) {
    const float *lambda = mixing_coefficients (&made) + 2 * i,
                *image = mixing_images (&made) + i * COLS;
    const gint64 *source = mixing_whole (&made, "sources") + 2 * i;
    gsize found = 0;

    for (gsize v = 0; v < WINDOWS; v++)
      for (gsize w = 0; w < WINDOWS; w++) {
        float first[COLS], second[COLS];
        double most = 0;

        cut_window (secrets->data + (gsize) source[0] * COLS, v, first);
        cut_window (secrets->data + (gsize) source[1] * COLS, w, second);
        for (gsize c = 0; c < COLS && most < 1e-6; c++)
          most = MAX (most, fabs ((double) lambda[0] * first[c] + (double) lambda[1] * second[c]
                                  - image[c]));
        if (most >= 1e-6)
          continue;
        found++;
        counts[0][v]++;
        counts[1][w]++;
      }
    cr_assert_eq (found, 1, "image %zu holds %zu pairs of windows of its secrets", i, found);
  }
  for (gsize j = 0; j < 2; j++)
    cr_assert (sample_chi_square (counts[j], WINDOWS) < sample_chi_square_bound (WINDOWS, ALPHA),
               "secret %zu: %g", j, sample_chi_square (counts[j], WINDOWS));
}

/* Its noise apart, a release is what it would be without; the noise is normal. */
Test (mixing_instahide, noise_is_normal_and_beside_the_mixture)
{
  enum { SECRETS = 20, COLS = 100, COUNT = SECRETS * COLS };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  const Material material = { .secrets = secrets };
  g_auto (Made) noisy = { 0 };
  g_auto (Made) plain = { 0 };
  double sum = 0, square = 0, fourth = 0;

  mixing_make (&assay_defense_instahide_inside, "k=2 noise=0.3", &material, &noisy);
  mixing_make (&assay_defense_instahide_inside, "k=2", &material, &plain);
  for (gsize i = 0; i < COUNT; i++) {
    const double e
        = ((double) mixing_images (&noisy)[i] - (double) mixing_images (&plain)[i]) / 0.3;

    sum += e / COUNT;
    square += e * e / COUNT;
    fourth += e * e * e * e / COUNT;
  }
  assert_near (sum, 0, DEVIATIONS / sqrt (COUNT), "mean");
  assert_near (square, 1, DEVIATIONS * sqrt (2.0 / COUNT), "variance");
  assert_near (fourth, 3, DEVIATIONS * sqrt (96.0 / COUNT), "fourth moment");
}

/* What is left of an image without its secrets is a window, and all windows are as likely. */
Test (mixing_instahide, public_images_are_cropped_and_flipped)
{
  enum { SECRETS = 30, EPOCHS = 60, COLS = PIXELS * CHANNELS };
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 1);
  g_autoptr (AssayMatrix) public_images = fixture_normal (50, COLS, 2);
  g_autoptr (AssayRows) public_rows = fixture_rows (public_images);
  const Material material
      = { .secrets = secrets,
          .public_rows = public_rows,
          .geometry = { .height = HEIGHT, .width = WIDTH, .channels = CHANNELS } };
  g_auto (Made) made = { 0 };
  gsize counts[WINDOWS] = { 0 };

  mixing_make (&assay_defense_instahide_cross, "k=3 mask=no epochs=60 crops=1 flips=yes", &material,
               &made);
  for (gsize i = 0; i < SECRETS * EPOCHS; i++) {
    const float *lambda = mixing_coefficients (&made) + 3 * i,
                *image = mixing_images (&made) + i * COLS;
    const gint64 *source = mixing_whole (&made, "sources") + 2 * i;
    const gsize partner = (gsize) mixing_whole (&made, "partners")[i];
    gsize found = WINDOWS;

    for (gsize w = 0; w < WINDOWS; w++) {
      float window[COLS];
      double most = 0;

      cut_window (public_images->data + partner * COLS, w, window);
      for (gsize c = 0; c < COLS; c++)
        most = MAX (most, fabs ((double) lambda[0] * secrets->data[(gsize) source[0] * COLS + c]
                                + (double) lambda[1] * secrets->data[(gsize) source[1] * COLS + c]
                                + (double) lambda[2] * window[c] - image[c]));
      if (most < 1e-6) {
        cr_assert (found == WINDOWS || lambda[2] < 1e-5f, "image %zu: two windows", i);
        found = w;
      }
    }
    cr_assert (found < WINDOWS, "image %zu holds no window of its public image", i);
    counts[found]++;
  }
  cr_assert (sample_chi_square (counts, WINDOWS) < sample_chi_square_bound (WINDOWS, ALPHA), "%g",
             sample_chi_square (counts, WINDOWS));
}
