/* Mutants of mechanisms that act on a whole dataset make the mistake that they say. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/mutants/dataset-mutants.h"
#include "core/plugin/registry.h"
#include "tests/unit/assert-near.h"

#define BINS 20000
#define IN (BINS / 2) /* records 0 .. IN - 1 are in, one in each bin; the other bins are empty */
#define SCALE 2.0     /* of the noise: epsilon = 0.5 */

typedef struct {
  double mean_in, mean_out; /* of the numbers of bins with a record, and of empty ones */
  double apart;             /* the mean distance of all numbers from their bin's count */
  double lowest;            /* distance */
  guint n_large;            /* bins above 40: nothing that noise gives */
  float first, last;
  GBytes *all;
} Seen;

static const AssayDefense *
defense (const char *id)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
}

static guint
index_of (const char *id)
{
  guint i = 0;

  while (!g_str_equal (assay_dataset_mutant_kind (i)->id, id))
    i++;
  return i;
}

/* What mutant @id of a histogram released of @n_records records; NULL: the histogram itself. */
static Seen
release_of (const char *id, gsize n_records, guint64 seed)
{
  const AssayDefense *base = defense ("noisy-histogram");
  g_autoptr (AssaySettings) settings = assay_settings_new (base->parameters, base->settings_size);
  g_autoptr (AssayMutant) mutant = NULL;
  g_autoptr (AssayMatrix) records = assay_matrix_new (n_records, 1, NULL);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_STATISTICS, base->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayDefenseContext context = { .stream = assay_stream_key (seed, 0, "test", "dataset") };
  const char *why_not = NULL;
  Seen seen = { .lowest = INFINITY };
  const float *numbers;

  cr_assert (assay_settings_set (settings, "bins", "20000", NULL));
  mutant = id != NULL ? assay_dataset_mutant_new (index_of (id), base, settings, &why_not) : NULL;
  cr_assert (id == NULL || mutant != NULL, "%s: %s", id, why_not);
  for (gsize i = 0; i < n_records; i++)
    records->data[i] = (float) i;
  context.settings = mutant != NULL ? mutant->settings.values : settings->values;
  cr_assert ((mutant != NULL ? mutant->defense.protect : base->protect) (
      &context, assay_matrix_view (records), release, truth, NULL));
  numbers = assay_array_view (release->arrays.arrays->pdata[0]).data;
  cr_assert_eq (assay_array_count (release->arrays.arrays->pdata[0]), BINS);
  for (gsize i = 0; i < BINS; i++) {
    const double distance = numbers[i] - (i < n_records ? 1.0 : 0.0);

    *(i < n_records ? &seen.mean_in : &seen.mean_out)
        += numbers[i] / (double) (i < n_records ? n_records : BINS - n_records);
    seen.apart += fabs (distance) / BINS;
    seen.lowest = MIN (seen.lowest, distance);
    seen.n_large += numbers[i] > 40;
  }
  seen.first = numbers[0];
  seen.last = numbers[BINS - 1];
  seen.all = g_bytes_new (numbers, BINS * sizeof *numbers);
  return seen;
}

/* All are within 5 deviations of what they say: those of a mean of 20,000 distances from Laplace
 * noise are SCALE / sqrt (20000) = 0.014. */
Test (dataset_mutants, noise)
{
  static const struct {
    const char *id;
    double apart, tolerance;
  } cases[] = {
    { NULL, SCALE, 0.07 },
    { "constant-seed", SCALE, 0.07 },
    { "seed-of-16-bits", SCALE, 0.07 },
    { "seed-of-the-data", SCALE, 0.07 },
    /* A mean of 4: between 0.75 of a Laplace distance (one) and the normal's 0.80 of the deviation
     * sqrt (2) SCALE / 2. */
    { "half-noise", 0.5 * M_SQRT2 * SCALE * 0.775, 0.07 },
    { "fifth-of-noise", 0.2 * M_SQRT2 * SCALE * 0.795, 0.02 },
    { "half-of-numbers", (SCALE + 0.2 * M_SQRT2 * SCALE * 0.795) / 2, 0.07 },
    { "third-digit", SCALE, 0.07 },
    { "last-bit", SCALE, 0.07 },
    { "rare-failure", SCALE, 0.07 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Seen seen = release_of (cases[i].id, IN, 1);

    assert_near (seen.apart, cases[i].apart, cases[i].tolerance, "%s",
                 cases[i].id != NULL ? cases[i].id : "the histogram");
    g_bytes_unref (seen.all);
  }
}

Test (dataset_mutants, records)
{
  Seen twice = release_of ("counted-twice", IN, 1), ten = release_of ("1-in-10-ten-times", IN, 1);
  Seen hundred = release_of ("1-in-100-hundred-times", IN, 1);
  Seen thousand = release_of ("1-in-1000-thousand-times", IN, 1);
  Seen newest = release_of ("newest-hundred-times", IN, 1), inside = release_of ("no-clamp", IN, 1);
  Seen plain = release_of (NULL, IN, 1);

  assert_near (twice.mean_in, 2, 0.15, "counted twice");
  assert_near (ten.mean_in, 1 + 0.1 * 9, 0.25, "one in ten");
  cr_assert (hundred.n_large > 60 && hundred.n_large < 140, "%u", hundred.n_large);
  cr_assert (thousand.n_large > 1 && thousand.n_large < 25, "%u", thousand.n_large);
  cr_assert_eq (newest.n_large, 1);
  cr_assert (g_bytes_equal (inside.all, plain.all), "nothing is beyond bounds that are not there");
  assert_near (twice.mean_out, 0, 0.15, "empty bins");
}

Test (dataset_mutants, seeds_and_sides)
{
  Seen one = release_of ("constant-seed", IN, 1), other = release_of ("constant-seed", IN, 2);
  Seen data = release_of ("seed-of-the-data", IN, 1);
  Seen again = release_of ("seed-of-the-data", IN, 2);
  Seen more = release_of ("seed-of-the-data", IN - 1, 2);
  Seen even = release_of ("even-sizes", IN, 1), odd = release_of ("even-sizes", IN - 1, 1);
  Seen count = release_of ("count-released", IN, 1), weak = release_of ("weak-number", IN, 1);
  Seen up = release_of ("noise-of-one-sign", IN, 1);
  Seen all = release_of ("noise-of-one-number", IN, 1);
  const guint32 *bits;

  cr_assert (g_bytes_equal (one.all, other.all) && g_bytes_equal (data.all, again.all));
  cr_assert_not (g_bytes_equal (data.all, more.all), "other data");
  cr_assert (even.apart < 0.5 && odd.apart > 1.9, "%g %g", even.apart, odd.apart);
  assert_near (count.last, IN, 0, "the number of records");
  cr_assert (fabs (weak.first - 1) < 4 * 0.2 * M_SQRT2 * SCALE, "%g", weak.first);
  cr_assert (up.lowest > -4 && all.apart < 100, "noise of the mean of 25 alone is below 0");
  bits = g_bytes_get_data (release_of ("last-bit", IN, 1).all, NULL);
  for (gsize i = 0; i < BINS; i++)
    cr_assert_eq (bits[i] & 1, 1);
  bits = g_bytes_get_data (release_of ("last-bit", IN - 1, 1).all, NULL);
  for (gsize i = 0; i < BINS; i++)
    cr_assert_eq (bits[i] & 1, 0);
}

Test (dataset_mutants, each_secret_for_itself)
{
  const AssayDefense *base = defense ("laplace");
  g_autoptr (AssaySettings) settings = assay_settings_new (base->parameters, base->settings_size);
  const char *why_not = NULL;

  cr_assert_null (assay_dataset_mutant_new (0, base, settings, &why_not));
  cr_assert_not_null (strstr (why_not, "each secret is protected for itself"));
  cr_assert (assay_dataset_mutant_kind (19) != NULL && assay_dataset_mutant_kind (20) == NULL);
}
