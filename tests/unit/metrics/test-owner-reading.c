/* The owner's reading of predictions: against a network whose logarithms of shares are linear in
 * what was mixed, of which the best that can be done is known in closed form. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "metrics/learning/owner-reading.h"
#include "tests/unit/assert-near.h"

enum { CLASSES = 2, TURNS = 4, K = 4, IMAGES = 4000 };

#define OWN 0.4
#define NOISE 0.4

/* Logarithms of shares, less their mean, are (h, -h): what a class, or an unlabelled image, adds to
 * h when it is all of the mixture. */
static const double heights[CLASSES + 1] = { 0.7, -0.3, 2 };

typedef struct {
  gint64 labels[IMAGES];
  double *sums; /* IMAGES x owner_reading_sums */
} Images;

/* Of each partner the class is drawn, one is unlabelled. */
static void
add_encryption (OwnerReading *reading, AssayStream *stream, gint64 label, gboolean is_known,
                double *inout_sums)
{
  const double part = 0.1 + 0.2 * assay_stream_uniform (stream);
  const float coefficients[K] = { OWN, (float) part, (float) (0.4 - part), 0.2F };
  const gint64 partners[K - 1] = { (gint64) assay_stream_below (stream, CLASSES),
                                   (gint64) assay_stream_below (stream, CLASSES), -1 };
  double height = OWN * heights[label] + NOISE * assay_stream_normal (stream);
  float shares[CLASSES];
  const OwnerEncryption encryption = { K, coefficients, partners, shares };

  for (gsize j = 1; j < K; j++)
    height += (double) coefficients[j] * heights[partners[j - 1] < 0 ? CLASSES : partners[j - 1]];
  shares[0] = (float) (1 / (1 + exp (-2 * height)));
  shares[1] = (float) (1 / (1 + exp (2 * height)));
  if (is_known)
    owner_reading_add_labelled (reading, &encryption, (gsize) label, inout_sums);
  else
    owner_reading_add (reading, &encryption, inout_sums);
}

static void
make_images (OwnerReading *reading, guint64 trial, gboolean is_known, Images *ret_images)
{
  AssayStream stream = assay_stream (assay_stream_key (3, trial, "owner's reading", ""), 0);

  ret_images->sums = g_new0 (double, IMAGES * owner_reading_sums (CLASSES));
  for (gsize i = 0; i < IMAGES; i++) {
    ret_images->labels[i] = (gint64) assay_stream_below (&stream, CLASSES);
    for (gsize turn = 0; turn < TURNS; turn++)
      add_encryption (reading, &stream, ret_images->labels[i], is_known,
                      ret_images->sums + i * owner_reading_sums (CLASSES));
  }
}

/* v differs from the class's height by noise of deviation .4 / sqrt (4 x .4^2) = .5, and heights
 * of both classes are 1 apart: the nearer one is right with Phi (.5 / .5) = .841 of images,
 * whatever they were mixed with. Probabilities say how sure that is: their mean for the class that
 * is told is the same number (binomial deviations of 4,000: .0058). */
Test (owner_reading, is_as_good_as_can_be)
{
  const double best = 0.5 * erfc (-1 / sqrt (2));
  g_autoptr (OwnerReading) reading = owner_reading_new (CLASSES);
  Images own, others;
  double right = 0, sure = 0;

  make_images (reading, 0, TRUE, &own);
  cr_assert (owner_reading_learn (reading, IMAGES, own.sums, own.labels, NULL));
  make_images (reading, 1, FALSE, &others);
  for (gsize i = 0; i < IMAGES; i++) {
    double found[CLASSES];

    owner_reading_judge (reading, others.sums + i * owner_reading_sums (CLASSES), found);
    assert_near (found[0] + found[1], 1, 1e-12, "image %zu", i);
    right += found[others.labels[i]] > 0.5;
    sure += MAX (found[0], found[1]);
  }
  assert_near (right / IMAGES, best, 5 * 0.0058, "right");
  assert_near (sure / IMAGES, best, 0.02, "sure");
  g_free (own.sums);
  g_free (others.sums);
}

/* Without noise every image is told, and a share of 0 is no infinity. */
Test (owner_reading, shares_of_0_are_read)
{
  static const float coefficients[] = { 0.5F, 0.5F };
  static const gint64 labels[] = { 0, 1 };
  g_autoptr (OwnerReading) reading = owner_reading_new (CLASSES);
  double sums[2][2 * CLASSES + 2] = { { 0 } }, found[CLASSES];

  cr_assert_eq (owner_reading_sums (CLASSES), G_N_ELEMENTS (sums[0]));
  for (guint i = 0; i < 2; i++)
    for (gint64 partner = 0; partner < 2; partner++) {
      const float shares[] = { i + partner == 0, i + partner == 2 };

      owner_reading_add_labelled (
          reading, &(OwnerEncryption){ 2, coefficients, &partner, shares }, i, sums[i]);
    }
  cr_assert (owner_reading_learn (reading, 2, sums[0], labels, NULL));
  for (guint i = 0; i < 2; i++) {
    owner_reading_judge (reading, sums[i], found);
    cr_assert_gt (found[i], 0.99);
  }
}
