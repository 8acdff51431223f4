/* The descent of dmp-graph: its rounds, its traces by NumPy, where it ends, and what is released of
 * it. */
#include <criterion/criterion.h>
#include <math.h>

#include "defenses/graphs/dmp-descent.h"
#include "tests/unit/assert-near.h"

/* T rounds one number at a time, from the same noise; and what all rounds together tell of the
 * motif is its sum with the mean of the noise, whatever the weights do. */
Test (dmp_descent, rounds_are_those_of_the_formulas)
{
  for (guint kind = 0; kind < 4; kind++) {
    const DmpDescent descent = { .mirror = kind % 2 == 0 ? DMP_MIRROR_KL : DMP_MIRROR_EUCLIDEAN,
                                 .rounds = 7,
                                 .step = 0.05,
                                 .sigma = kind < 2 ? 3 : 0,
                                 .convexity = 0.25 };
    static const double motifs[] = { 0, 1, 5, 40, 700 };
    double weights[] = { 1, 1, 1, 1, 1 }, noise[7][5] = { { 0 } };
    const AssayStream start = assay_stream (assay_stream_key (32, 0, "descent", ""), kind);
    AssayStream stream = start, again = start;

    dmp_descend (&descent, motifs, 5, &stream, weights);
    for (guint t = 0; t < 7 && kind < 2; t++)
      assay_stream_fast_normals (&again, 5, noise[t]);
    for (guint k = 0; k < 5; k++) {
      double weight = 1, told = 0, drawn = 0;

      for (guint t = 0; t < 7; t++) {
        const double gradient = weight - motifs[k] + 0.5 * weight + descent.sigma * noise[t][k];
        const double move = fmin (20, fmax (-20, 0.05 * gradient));

        told += (1.5 * weight - gradient) / 7;
        drawn += noise[t][k] / 7;
        weight = kind % 2 == 0 ? weight * exp (-move) : weight - 0.05 * gradient;
      }
      assert_near (weights[k], weight, 1e-9 * fabs (weight), "kind %u, pair %u", kind, k);
      assert_near (told, motifs[k] - descent.sigma * drawn, 1e-9 * (1 + motifs[k]), "kind %u",
                   kind);
    }
  }
}

/* Printed by tests/reference/graph_release.py: motifs 0, 1, 5, 40 and 700, edges all but the first,
 * weights that start at 1. */
static const struct {
  DmpMirror mirror;
  gsize rounds;
  double step, convexity, weights[5];
} traces[] = {
  { DMP_MIRROR_KL,
    1,
    0.05,
    0,
    { 0.951229424500714, 1.0, 1.2214027581601699, 7.0286875805892945, 485165195.4097903 } },
  { DMP_MIRROR_KL,
    10,
    0.05,
    0,
    { 0.6620518802404061, 1.0, 3.9094816206127887, 36.67693061088818, 1.0 } },
  { DMP_MIRROR_KL,
    100,
    0.01,
    0,
    { 0.4991308060112364, 1.0, 4.879563998227579, 39.99999999999999, 8.315283725428098e-05 } },
  { DMP_MIRROR_KL,
    25,
    0.02,
    1.5,
    { 0.3283759233059927, 1.0, 1.9731009417507452, 10.75, 15.24270432010353 } },
  { DMP_MIRROR_EUCLIDEAN, 1, 0.05, 0, { 0.95, 1.0, 1.2, 2.95, 35.95 } },
  { DMP_MIRROR_EUCLIDEAN,
    10,
    0.05,
    0,
    { 0.5987369392383789, 1.0, 2.6050522430464844, 16.649259369703223, 281.48287947237316 } },
  { DMP_MIRROR_EUCLIDEAN,
    100,
    0.01,
    0,
    { 0.3660323412732296, 1.0, 3.535870634907083, 25.724738690344047, 444.1433934500126 } },
  { DMP_MIRROR_EUCLIDEAN,
    25,
    0.02,
    1.5,
    { 0.12436428680229497, 1.0, 1.875635713197705, 9.537448203677625, 154.01734088129896 } },
};

Test (dmp_descent, traces_are_those_of_numpy)
{
  for (gsize k = 0; k < G_N_ELEMENTS (traces); k++) {
    const double edge = 2 * traces[k].convexity;
    const double motifs[] = { 0, 1 + edge, 5 + edge, 40 + edge, 700 + edge };
    double weights[] = { 1, 1, 1, 1, 1 };
    AssayStream stream = { 0 };

    dmp_descend (&(DmpDescent){ .mirror = traces[k].mirror,
                                .rounds = traces[k].rounds,
                                .step = traces[k].step,
                                .convexity = traces[k].convexity },
                 motifs, 5, &stream, weights);
    for (guint i = 0; i < 5; i++)
      assert_near (weights[i] / traces[k].weights[i], 1, 1e-9, "trace %zu, pair %u", k, i);
  }
}

/* Without noise the weights come to be the motifs. */
Test (dmp_descent, descent_arrives)
{
  static const double motifs[] = { 0.5, 3, 12 };
  double weights[] = { 1, 1, 1 };
  const DmpDescent descent = { .mirror = DMP_MIRROR_KL, .rounds = 400, .step = 0.05 };
  AssayStream stream = { 0 };

  dmp_descend (&descent, motifs, 3, &stream, weights);
  for (guint k = 0; k < 3; k++)
    assert_near (weights[k], motifs[k], 1e-4, "pair %u", k);
}

Test (dmp_descent, log_normalisation)
{
  float weights[] = { -3, 0, (float) (G_E - 1), (float) (G_E * G_E - 1) }, none[] = { 0, -1 };

  dmp_log_normalise (weights, 4);
  dmp_log_normalise (none, 2);
  for (guint k = 0; k < 4; k++)
    assert_near ((double) weights[k], k < 2 ? 0 : k == 2 ? 0.5 : 1, 1e-7, "weight %u", k);
  cr_assert (none[0] == 0 && none[1] == 0);
}
