/* Histograms of encodings: bars by hand, that they add up, and what is refused. */
#include <math.h>

#include "metrics/images/image-statistics.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/encodings-case.h"

extern const AssayMetric assay_metric_encoding_histogram;

static gboolean
try_measure (const char *assignments, const Case *c, AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayMetric *metric = &assay_metric_encoding_histogram;
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, assignments);
  const AssayMetricContext context = { .settings = settings->values, .release = c->release };

  return assay_step_measure (metric, &context, c->truth, c->guess, ret_outcomes, error);
}

/* How many encodings are in the bar of statistic @series, and of how many. */
static gsize
count_bar (const char *assignments, const Case *c, guint series, gsize *ret_n)
{
  AssayOutcomes outcomes = { 0 };
  g_autoptr (GError) error = NULL;
  gsize sum = 0;

  cr_assert (try_measure (assignments, c, &outcomes, &error), "%s",
             error != NULL ? error->message : "");
  for (gsize i = 0; i < outcomes.n; i++)
    sum += outcomes.series[series][i] == 1;
  *ret_n = outcomes.n;
  assay_outcomes_clear (&outcomes);
  return sum;
}

/* Flat images of 0, 1, 2, 3, 4, 4, of secrets 0 and 1 in turn: the mean is 14 / 6, the variance
 * 46 / 6 - (14 / 6)^2 = 20 / 9, so that u is -1.565, -0.894, -0.224, 0.447, 1.118, 1.118. */
Test (encoding_histogram, by_hand)
{
  static const float levels[] = { 0, 1, 2, 3, 4, 4 };
  static const struct {
    const char *assignments;
    gsize count, n;
  } bars[] = { { "secret=-1 at=1 width=0.5", 2, 6 },    { "secret=0 at=1 width=0.5", 1, 3 },
               { "secret=1 at=1 width=0.5", 1, 3 },     { "secret=0 at=-1.5 width=0.5", 1, 3 },
               { "secret=1 at=-1.5 width=0.5", 0, 3 },  { "secret=1 at=0 width=2", 2, 3 },
               { "secret=-1 at=0 width=1000", 6, 6 } };
  AssayMatrix *images = assay_matrix_new (6, COLS, NULL);

  for (gsize i = 0; i < 6; i++)
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (images, i)[j] = levels[i];
  g_auto (Case) c = make_encodings (2, 3, images);

  for (gsize b = 0; b < G_N_ELEMENTS (bars); b++) {
    gsize n;

    cr_expect_eq (count_bar (bars[b].assignments, &c, IMAGE_MEAN, &n), bars[b].count, "%s",
                  bars[b].assignments);
    cr_expect_eq (n, bars[b].n, "%s", bars[b].assignments);
    /* Flat images all have deviation and variation 0, and a pixel is the mean. */
    cr_expect_eq (count_bar (bars[b].assignments, &c, IMAGE_FIRST_PIXEL, &n), bars[b].count, "%s",
                  bars[b].assignments);
  }
  {
    gsize n;

    cr_expect_eq (count_bar ("at=0", &c, IMAGE_DEVIATION, &n), 6);
    cr_expect_eq (count_bar ("at=0.5", &c, IMAGE_VARIATION, &n), 0);
  }
}

/* Bars side by side have every encoding once; those of secrets add up to those of all. */
Test (encoding_histogram, adds_up)
{
  enum { N = 3, EACH = 40 };
  g_auto (Case) c = make_encodings (N, EACH, fixture_normal (N * EACH, COLS, 4));

  for (guint s = 0; s < IMAGE_N_STATISTICS; s++) {
    gsize total = 0, n;

    for (int at = -6; at <= 6; at++) {
      g_autofree char *all = g_strdup_printf ("at=%d width=1 absolute=yes", at);
      const gsize found = count_bar (all, &c, s, &n);
      gsize sum = 0;

      for (guint secret = 0; secret < N; secret++) {
        g_autofree char *one = g_strdup_printf ("%s secret=%u", all, secret);

        sum += count_bar (one, &c, s, &n);
        cr_expect_eq (n, EACH);
      }
      cr_expect_eq (sum, found, "series %u at %d", s, at);
      total += found;
    }
    cr_expect_eq (total, N * EACH, "series %u", s);
  }
}

static void
check_refused (const Case *c, const char *assignments, const char *message)
{
  AssayOutcomes outcomes = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!try_measure (assignments, c, &outcomes, &error), "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
}

Test (encoding_histogram, refused)
{
  g_auto (Case) c = make_encodings (2, 3, fixture_normal (6, COLS, 4));
  const gsize fewer = 5;

  check_refused (&c, "secret=2",
                 "metric encoding-histogram: secret = 2: no image was made for it; expected the "
                 "number of a secret, from 0, or -1 for all");
  assay_arrays_take (&c.truth->arrays, "owners",
                     assay_array_take (ASSAY_INT64, 1, &fewer, g_new0 (gint64, fewer)));
  check_refused (&c, "",
                 "metric encoding-histogram: the truth has 5 owners, but the release has 6 images");
  c.release->geometry.height = 0;
  check_refused (&c, "",
                 "metric encoding-histogram: the release does not say what images it holds; "
                 "expected its geometry, for the total variation");
}
