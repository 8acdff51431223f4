/* The defenses that mix images: mixtures against their definition, and keys that are used once. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/plugin/plugin.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

#define ALPHA 1e-6
#define DEVIATIONS 5.0 /* of a normal: exceeded with chance 6e-7 */

extern const AssayDefense assay_defense_mixup;
extern const AssayDefense assay_defense_instahide_inside;
extern const AssayDefense assay_defense_instahide_cross;

/* ---- What is released ---- */

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
} Made;

static void
made_clear (Made *made)
{
  assay_release_free (made->release);
  assay_truth_free (made->truth);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

/* What a defense works on; the cell's stream is that of `trial`. */
typedef struct {
  const AssayMatrix *secrets;
  AssayRows *public_rows;
  const gint64 *labels;
  AssayGeometry geometry;
  guint64 trial;
} Material;

enum { CLASSES = 3 };

static AssayShape
shape_of (const Material *material)
{
  return (AssayShape){
    .n_secrets = material->secrets->rows,
    .cols = material->secrets->cols,
    .n_public = material->public_rows != NULL ? assay_rows_count (material->public_rows) : 0,
    .n_classes = material->labels != NULL ? CLASSES : 0,
    .geometry = material->geometry,
  };
}

static guint64
bytes_of_array (const AssayArray *array)
{
  return (guint64) assay_array_count (array) * assay_type_size (array->type);
}

static guint64
bytes_of (const AssayArrays *arrays)
{
  guint64 n_bytes = 0;

  for (guint i = 0; i < arrays->arrays->len; i++)
    n_bytes += bytes_of_array (arrays->arrays->pdata[i]);
  return n_bytes;
}

static gboolean
make (const AssayDefense *defense, const char *assignments, const Material *material,
      Made *ret_made, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  const AssayDefenseContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (4, material->trial, "mixing", ""),
          .public_rows = material->public_rows,
          .labels = material->labels,
          .n_classes = CLASSES,
          .geometry = material->geometry };
  const AssayView secrets = assay_matrix_view (material->secrets);
  AssayShape shape = shape_of (material);
  guint64 n_bytes;

  ret_made->release = assay_release_new (defense->produces, defense->id);
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (secrets, NULL)));
  if (!defense->check (settings->values, &shape, error)
      || !defense->protect (&context, secrets, ret_made->release, ret_made->truth, error)
      || !assay_release_check (ret_made->release, error)
      || !assay_truth_check (ret_made->truth, error))
    return FALSE;
  n_bytes = bytes_of (&ret_made->release->arrays) + bytes_of (&ret_made->truth->arrays)
            - bytes_of_array (assay_arrays_get (&ret_made->truth->arrays, "secrets"));
  cr_assert (defense->memory (settings->values, &shape) >= n_bytes);
  defense->release_shape (settings->values, &shape);
  cr_assert (shape.n_released == assay_release_count (ret_made->release));
  return TRUE;
}

static void
make_or_die (const AssayDefense *defense, const char *assignments, const Material *material,
             Made *ret_made)
{
  g_autoptr (GError) error = NULL;

  cr_assert (make (defense, assignments, material, ret_made, &error), "%s", error->message);
}

static const gint64 *
whole (const Made *made, const char *name)
{
  return assay_array_int64 (assay_arrays_get (&made->truth->arrays, name));
}

static const float *
images_of (const Made *made)
{
  return assay_array_view (assay_arrays_get (&made->release->arrays, "images")).data;
}

static const float *
coefficients_of (const Made *made)
{
  return assay_array_view (assay_arrays_get (&made->truth->arrays, "coefficients")).data;
}

/* Every image is the sum that the truth says, of @s secrets and @p public rows, up to signs. The
 * one rounding is that to float32. */
static void
check_sums (const Made *made, const Material *material, gsize s, gsize p)
{
  const gsize n = assay_release_count (made->release), cols = material->secrets->cols, k = s + p;
  const gint64 *sources = whole (made, "sources");
  const gint64 *partners = p > 0 ? whole (made, "partners") : NULL;
  g_autofree float *row = g_new (float, cols);

  for (gsize i = 0; i < n; i++) {
    const float *lambda = coefficients_of (made) + i * k;
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
      assert_near (fabs ((double) images_of (made)[i * cols + c]), fabs (sum[c]),
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

  make_or_die (&assay_defense_mixup, "k=3 epochs=2", &material, &within);
  make_or_die (&assay_defense_mixup, "k=4 variant=public-once", &material, &once);
  make_or_die (&assay_defense_instahide_inside, "k=5 mask=no", &material, &inside);
  make_or_die (&assay_defense_instahide_cross, "k=6 epochs=3", &material, &cross);
  check_sums (&within, &material, 3, 0);
  check_sums (&once, &material, 1, 3);
  check_sums (&inside, &material, 5, 0);
  check_sums (&cross, &material, 2, 4);
  cr_assert (assay_release_count (within.release) == 80 && assay_release_count (once.release) == 40
             && assay_release_count (cross.release) == 120);
  cr_assert (assay_arrays_get (&within.truth->arrays, "partners") == NULL);
  cr_assert (assay_arrays_get (&within.release->arrays, "labels") == NULL);
  for (gsize i = 0; i < 120; i++) {
    const float *lambda = coefficients_of (&cross) + i * 6;

    cr_assert (whole (&cross, "owners")[i] == (gint64) (i % 40)
               && whole (&cross, "sources")[i * 2] == (gint64) (i % 40));
    cr_assert ((double) lambda[0] + lambda[1] >= 0.3);
    for (gsize j = 0; j < 6; j++)
      cr_assert ((double) lambda[j] <= 0.65);
  }
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

    make_or_die (cases[t].defense, cases[t].assignments, &material, &made);
    found = assay_array_view (assay_arrays_get (&made.release->arrays, "labels"));
    cr_assert (found.rows == SECRETS && found.cols == CLASSES);
    for (gsize i = 0; i < SECRETS; i++) {
      const float *lambda = coefficients_of (&made) + i * k;
      double expected[CLASSES] = { 0 }, sum = 0, private_sum = 0;

      for (gsize j = 0; j < s; j++) {
        expected[labels[whole (&made, "sources")[i * s + j]]] += lambda[j];
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

    make_or_die (&assay_defense_mixup, assignments, &material, &made);
    sources = whole (&made, "sources");
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

  make_or_die (&assay_defense_instahide_inside, "k=3 epochs=3000", &material, &made);
  sources = whole (&made, "sources");
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

/* While there are enough public images none is used twice; then as rarely as can be, and from a
 * deck in another order: it deals the same again with chance 1 / 24 (of four) or 1 / 720 (three of
 * ten), seven times of 20 or 40 with chance 2e-5 at most. */
Test (mixing, public_images_are_dealt)
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

    make_or_die (&assay_defense_instahide_cross, assignments, &material, &made);
    partners = whole (&made, "partners");
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
    const float a = images_of (masked)[i], b = images_of (plain)[i];

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
      n_alike += masks[i * cols + c] == (coefficients_of (made)[i * 4] > 0.25f);
    assert_near (n_alike / (double) n, 0.5, DEVIATIONS * 0.5 / sqrt ((double) n), "pixel %zu", c);
  }
}

/* The mask turns signs and nothing else; by half, from number to number, image to image, epoch to
 * epoch and cell to cell independently. */
Test (mixing, masks_are_fair_and_used_once)
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

    make_or_die (&assay_defense_instahide_inside, "epochs=4", &material, &masked);
    make_or_die (&assay_defense_instahide_inside, "epochs=4 mask=no", &material, &plain);
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

/* What is left of an image without its secrets is a window, and all windows are as likely. */
Test (mixing, public_images_are_cropped_and_flipped)
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

  make_or_die (&assay_defense_instahide_cross, "k=3 mask=no epochs=60 crops=1 flips=yes", &material,
               &made);
  for (gsize i = 0; i < SECRETS * EPOCHS; i++) {
    const float *lambda = coefficients_of (&made) + 3 * i, *image = images_of (&made) + i * COLS;
    const gint64 *source = whole (&made, "sources") + 2 * i;
    const gsize partner = (gsize) whole (&made, "partners")[i];
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
  make_or_die (&assay_defense_instahide_cross, "epochs=2 crops=3", &material, &one);
  assay_parallel_set_threads (3);
  make_or_die (&assay_defense_instahide_cross, "epochs=2 crops=3", &material, &three);
  cr_assert_arr_eq (images_of (&one), images_of (&three), EPOCHS * SECRETS * COLS * sizeof (float));
  cr_assert_arr_eq (coefficients_of (&one), coefficients_of (&three),
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

  cr_assert (!make (&assay_defense_mixup, "k=2", &wrong_label, &first, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "the label of secret 2 is 3; expected less than 3, the number of "
                               "classes, and no negative number",
                               NULL, &why),
             "%s", why);
  cr_assert (!make (&assay_defense_instahide_cross, "k=4", &wrong_rows, &second, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "expected 2 or more public rows of 3 columns", NULL, &why),
             "%s", why);
  g_clear_pointer (&why, g_free);
  cr_assert (!make (&assay_defense_mixup, "k=2", &nothing, &third, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, "expected 2 or more secrets, found 0",
                               NULL, &why),
             "%s", why);
}
