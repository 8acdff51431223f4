/* Photographs that an attack painted, beside the private ones. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/photographs/photo-window.h"
#include "core/plugin/plugin.h"
#include "tests/unit/assert-near.h"

extern const AssayMetric assay_metric_photograph_recovery;

enum { MAE, SSIM, PSNR, FIRST, UNIT };
enum { SIDE = 16, PIXELS = SIDE * SIDE, N = 3 };

/* Three photographs, of which the guess has numbers 2, 0. */
static AssayDataset
make_dataset (void)
{
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "photographs", ""), 0);
  AssayDataset dataset
      = { .secret_data.photos
          = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free) };

  for (gsize i = 0; i < N; i++) {
    AssayPhoto *photo = assay_photo_new (40, 30, 1, NULL);

    for (gsize p = 0; p < 40 * 30; p++)
      photo->data[p] = (float) (int) (255 * assay_stream_uniform (&stream));
    g_ptr_array_add (dataset.secret_data.photos, photo);
  }
  return dataset;
}

static AssayGuess *
guess_of (const AssayDataset *dataset, const gint64 *groups, gsize n, double noise)
{
  AssayStream stream = assay_stream (assay_stream_key (9, 0, "noise", ""), 0);
  AssayMatrix *pictures = assay_matrix_new (n, PIXELS, NULL);
  AssayGuess *guess = assay_guess_new ();
  const AssayPhotoWindow whole = assay_photo_whole (40, 30);

  for (gsize u = 0; u < n; u++) {
    assay_photo_reduce (dataset->secret_data.photos->pdata[MIN (groups[u], N - 1)], &whole, SIDE,
                        assay_matrix_row (pictures, u));
    for (gsize p = 0; p < PIXELS; p++)
      assay_matrix_row (pictures, u)[p] += (float) (noise * assay_stream_normal (&stream));
  }
  assay_arrays_take_matrix (&guess->arrays, "photographs", &pictures);
  assay_arrays_take (&guess->arrays, "photograph-groups",
                     assay_array_take (ASSAY_INT64, 1, &n, g_memdup2 (groups, n * sizeof *groups)));
  return guess;
}

static gboolean
measure (const AssayDataset *dataset, const AssayGuess *guess, AssayOutcomes *ret_outcomes,
         GError **error)
{
  const AssayMetricContext context = { .dataset = dataset };

  *ret_outcomes = (AssayOutcomes){ 0 };
  return assay_metric_photograph_recovery.measure (&context, NULL, guess, ret_outcomes, error);
}

Test (photograph_recovery, equal_and_noisy)
{
  const gint64 groups[] = { 0, 2 };
  AssayDataset dataset = make_dataset ();
  g_autoptr (AssayGuess) equal = guess_of (&dataset, groups, 2, 0);
  g_autoptr (AssayGuess) noisy = guess_of (&dataset, groups, 2, 20);
  const AssayMetricContext context = { .dataset = &dataset };
  g_auto (AssayPictures) pictures = { 0 };
  AssayOutcomes outcomes;

  cr_assert (measure (&dataset, equal, &outcomes, NULL));
  cr_assert_eq (outcomes.n, 2);
  for (gsize u = 0; u < 2; u++)
    cr_assert (outcomes.series[SSIM][u] == 1 && outcomes.series[MAE][u] == 0
               && outcomes.series[PSNR][u] == 100 && outcomes.series[FIRST][u] == 1
               && outcomes.series[UNIT][u] == (double) groups[u]);
  assay_outcomes_clear (&outcomes);
  /* The mean of |N (0, 20^2)| is 20 sqrt (2 / pi); 10 log10 (255^2 / 400) = 22.11 dB. */
  cr_assert (measure (&dataset, noisy, &outcomes, NULL));
  assert_near (outcomes.series[MAE][0], 20 * sqrt (2 / G_PI) / 255, 0.006, "error");
  assert_near (outcomes.series[PSNR][0], 22.11, 0.6, "PSNR");
  cr_assert_lt (outcomes.series[SSIM][0], 0.95);
  assay_outcomes_clear (&outcomes);
  cr_assert (assay_metric_photograph_recovery.show (&context, NULL, equal, 1, &pictures, NULL));
  cr_assert_eq (memcmp (pictures.original->data, pictures.recovered->data, PIXELS * sizeof (float)),
                0);
  assay_dataset_clear (&dataset);
}

/* A picture that is more like another photograph of the trial. */
Test (photograph_recovery, another)
{
  const gint64 groups[] = { 0, 2 }, swapped[] = { 2, 0 };
  AssayDataset dataset = make_dataset ();
  g_autoptr (AssayGuess) guess = guess_of (&dataset, groups, 2, 0);
  const gsize n = 2;
  AssayOutcomes outcomes;

  assay_arrays_take (&guess->arrays, "photograph-groups",
                     assay_array_take (ASSAY_INT64, 1, &n, g_memdup2 (swapped, sizeof swapped)));
  cr_assert (measure (&dataset, guess, &outcomes, NULL));
  cr_assert (outcomes.series[FIRST][0] == 0 && outcomes.series[FIRST][1] == 0);
  assay_outcomes_clear (&outcomes);
  assay_dataset_clear (&dataset);
}

Test (photograph_recovery, bad_input)
{
  const gint64 groups[] = { 0, 3 };
  AssayDataset dataset = make_dataset ();
  g_autoptr (AssayGuess) guess = guess_of (&dataset, groups, 2, 0);
  g_autoptr (GError) error = NULL;
  AssayMatrix *odd;
  AssayOutcomes outcomes;

  cr_assert (!measure (&dataset, guess, &outcomes, &error));
  cr_assert (strstr (error->message, "group 3 has no photograph") != NULL, "%s", error->message);
  assay_outcomes_clear (&outcomes);
  g_clear_error (&error);
  cr_assert (!measure (NULL, guess, &outcomes, &error));
  cr_assert (strstr (error->message, "photographs are needed") != NULL, "%s", error->message);
  assay_outcomes_clear (&outcomes);
  g_clear_error (&error);
  odd = assay_matrix_new (2, PIXELS - 1, NULL);
  assay_arrays_take_matrix (&guess->arrays, "photographs", &odd);
  cr_assert (!measure (&dataset, guess, &outcomes, &error));
  cr_assert (strstr (error->message, "expected the square of a side") != NULL, "%s",
             error->message);
  assay_outcomes_clear (&outcomes);
  assay_dataset_clear (&dataset);
}
