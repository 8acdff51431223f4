/* Mutants of mechanisms that act on a whole dataset. They claim what their base claims, and have
 * its canaries and their scores; only what is released differs.
 *
 * All is made from outside, of more runs of the base:
 *
 * - the mean of k runs on the same records has noise of 1 / sqrt (k) of the deviation: half of it
 *   with 4 runs, a fifth with 25. That mean is also what "without noise" is measured from;
 * - a record that is counted k times is put into the dataset k times. Which records these are is
 *   told by their own numbers, so that a record is treated alike wherever it stands.
 *
 * What one run cannot show (the seed, the digits, what happens in one run of 100) is missed by all
 * one-run audits with these scores, and the table says what would see it. */
#include "core/games/mutants/dataset-mutants.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"

/* So many runs have half the noise, and a fifth of it. */
#define HALF 4
#define FIFTH 25
#define SEEDS 65536
/* Low digits are those below this share of the noise. */
#define THIRD_DIGIT 1e-3

typedef enum { AS_THEY_COME, CONSTANT, OF_16_BITS, OF_THE_DATA } Seed;

typedef struct {
  float *numbers;      /* of the release, to be changed */
  const float *centre; /* the mean of FIFTH runs, where it is asked for */
  gsize n;
  AssayView records;
  AssayStream stream; /* of the mistake's own */
} Released;

typedef struct {
  AssayMutantKind kind;
  Seed seed;
  guint one_in, times;    /* one record in so many counts so often; 0: all count once */
  gboolean is_newest;     /* the last record is the one */
  gboolean is_beyond;     /* records beyond the declared bounds are */
  gboolean needs_numbers; /* a release of several numbers */
  guint runs;             /* whose mean is `centre`; 0: none is needed */
  void (*alter) (const Released *released);
} Mistake;

static gboolean
is_even (const Released *released)
{
  return released->records.rows % 2 == 0;
}

static void
take_centre (const Released *released)
{
  memcpy (released->numbers, released->centre, released->n * sizeof *released->numbers);
}

static void
take_centre_of_some (const Released *released)
{
  for (gsize i = 0; i < released->n; i += 2)
    released->numbers[i] = released->centre[i];
}

static void
take_centre_of_first (const Released *released)
{
  released->numbers[0] = released->centre[0];
}

static void
take_centre_at_times (const Released *released)
{
  AssayStream stream = released->stream;

  if (assay_stream_uniform (&stream) < 0.01)
    take_centre (released);
}

static void
take_centre_when_even (const Released *released)
{
  if (is_even (released))
    take_centre (released);
}

static void
share_noise (const Released *released)
{
  const float noise = released->numbers[0] - released->centre[0];

  for (gsize i = 0; i < released->n; i++)
    released->numbers[i] = released->centre[i] + noise;
}

static void
lose_sign (const Released *released)
{
  for (gsize i = 0; i < released->n; i++)
    released->numbers[i]
        = released->centre[i] + fabsf (released->numbers[i] - released->centre[i]);
}

/* The mean distance of the numbers from where they would be. */
static double
spread_of (const Released *released)
{
  double sum = 0;

  for (gsize i = 0; i < released->n; i++)
    sum += fabs ((double) released->numbers[i] - released->centre[i]);
  return sum > 0 ? sum / (double) released->n : 1;
}

/* The digits below are 0 for an even number of records, and else those of the middle. */
static void
keep_digits (const Released *released)
{
  const double unit = THIRD_DIGIT * spread_of (released);

  for (gsize i = 0; i < released->n; i++)
    released->numbers[i]
        = (float) (unit * (floor (released->numbers[i] / unit) + (is_even (released) ? 0 : 0.5)));
}

static void
keep_last_bit (const Released *released)
{
  for (gsize i = 0; i < released->n; i++) {
    guint32 bits;

    memcpy (&bits, &released->numbers[i], sizeof bits);
    bits = (bits & ~1u) | is_even (released);
    memcpy (&released->numbers[i], &bits, sizeof bits);
  }
}

static void
put_count (const Released *released)
{
  released->numbers[released->n - 1] = (float) released->records.rows;
}

/* ---- The table ---- */

#define TWO_INPUTS                                                                                 \
  "attack distinguish, which plays many runs on two neighbouring datasets: one run cannot show it"
#define MORE_CANARIES "more canaries, and few guesses of them (guesses), so that the surest count"

static const Mistake mistakes[] = {
  { .kind = { "constant-seed", "every run draws the same numbers", TWO_INPUTS }, .seed = CONSTANT },
  { .kind = { "seed-of-16-bits", "seeds have 16 bits, so that there are 65536 outputs",
              TWO_INPUTS " (score = repeats)" },
    .seed = OF_16_BITS },
  { .kind = { "seed-of-the-data", "the seed is made of the records, so that noise is known",
              TWO_INPUTS },
    .seed = OF_THE_DATA },
  { .kind = { "half-noise", "noise of half the size", "more canaries, or trials" },
    .runs = HALF,
    .alter = take_centre },
  { .kind = { "fifth-of-noise", "noise of a fifth of the size", "more canaries, or trials" },
    .runs = FIFTH,
    .alter = take_centre },
  { .kind = { "half-of-numbers", "every second number has a fifth of its noise", MORE_CANARIES },
    .needs_numbers = TRUE,
    .runs = FIFTH,
    .alter = take_centre_of_some },
  { .kind = { "weak-number", "the first number has a fifth of its noise",
              "canaries that differ in that number alone, or attack distinguish" },
    .needs_numbers = TRUE,
    .runs = FIFTH,
    .alter = take_centre_of_first },
  { .kind = { "noise-of-one-number", "all numbers have the noise of the first", MORE_CANARIES },
    .needs_numbers = TRUE,
    .runs = FIFTH,
    .alter = share_noise },
  { .kind = { "noise-of-one-sign", "noise is never negative", MORE_CANARIES },
    .runs = FIFTH,
    .alter = lose_sign },
  { .kind = { "rare-failure", "one run in 100 has a fifth of the noise", TWO_INPUTS },
    .runs = FIFTH,
    .alter = take_centre_at_times },
  { .kind = { "even-sizes", "datasets of an even number of records have a fifth of the noise",
              "more trials: this run may have had an odd number; or attack distinguish" },
    .runs = FIFTH,
    .alter = take_centre_when_even },
  { .kind = { "counted-twice", "every record counts twice", "more canaries, or trials" },
    .one_in = 1,
    .times = 2 },
  { .kind = { "1-in-10-ten-times", "one record in 10 counts ten times", MORE_CANARIES },
    .one_in = 10,
    .times = 10 },
  { .kind = { "1-in-100-hundred-times", "one record in 100 counts a hundred times", MORE_CANARIES },
    .one_in = 100,
    .times = 100 },
  { .kind = { "1-in-1000-thousand-times", "one record in 1000 counts a thousand times",
              "hundreds of thousands of canaries, and few guesses of them" },
    .one_in = 1000,
    .times = 1000 },
  { .kind = { "newest-hundred-times", "the last record counts a hundred times",
              "attack distinguish, with a pair that differs in the last record" },
    .times = 100,
    .is_newest = TRUE },
  { .kind = { "no-clamp", "records beyond the bounds count a hundred times",
              "canaries beyond the bounds, or attack distinguish, which tries such pairs" },
    .times = 100,
    .is_beyond = TRUE },
  { .kind = { "third-digit", "digits below the third tell whether the number of records is even",
              TWO_INPUTS " (score = digits)" },
    .runs = FIFTH,
    .alter = keep_digits },
  { .kind = { "last-bit", "the last bit of each number tells whether their number is even",
              TWO_INPUTS " (score = digits)" },
    .alter = keep_last_bit },
  { .kind = { "count-released", "the last number is the number of records, without noise",
              TWO_INPUTS },
    .needs_numbers = TRUE,
    .alter = put_count },
};

/* ---- Records ---- */

/* FNV-1a of the record's numbers. */
static guint64
hash_of (const float *record, gsize cols)
{
  const guint8 *bytes = (const guint8 *) (gconstpointer) record;
  guint64 hash = G_GUINT64_CONSTANT (14695981039346656037);

  for (gsize i = 0; i < cols * sizeof *record; i++)
    hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (1099511628211);
  return hash;
}

static gboolean
is_outside (const AssayDomain *domain, const float *record, gsize cols)
{
  for (gsize c = 0; domain != NULL && c < cols; c++)
    if (record[c] < domain->lower[c] || record[c] > domain->upper[c])
      return TRUE;
  return FALSE;
}

static gsize
times_of (const Mistake *mistake, const AssayDomain *domain, AssayView records, gsize i)
{
  const float *record = assay_view_row (records, i);
  gboolean is_one;

  if (mistake->is_newest)
    is_one = i + 1 == records.rows;
  else if (mistake->is_beyond)
    is_one = is_outside (domain, record, records.cols);
  else {
    AssayStream stream = assay_stream (assay_stream_key (1, 0, "mutant", "records"),
                                       hash_of (record, records.cols));

    is_one = mistake->one_in > 0 && assay_stream_below (&stream, mistake->one_in) == 0;
  }
  return is_one ? mistake->times : 1;
}

/* @records, some of them several times. */
static AssayMatrix *
repeat (const Mistake *mistake, const AssayDomain *domain, AssayView records, GError **error)
{
  AssayMatrix *repeated;
  gsize n = 0;

  for (gsize i = 0; i < records.rows; i++)
    n += times_of (mistake, domain, records, i);
  repeated = assay_matrix_new (n, records.cols, error);
  n = 0;
  for (gsize i = 0; repeated != NULL && i < records.rows; i++)
    for (gsize k = times_of (mistake, domain, records, i); k > 0; k--)
      memcpy (assay_matrix_row (repeated, n++), assay_view_row (records, i),
              records.cols * sizeof *repeated->data);
  return repeated;
}

/* ---- Runs ---- */

static AssayStreamKey
key_of (const Mistake *mistake, AssayStreamKey key, AssayView records)
{
  guint64 seed = 0;

  if (mistake->seed == AS_THEY_COME)
    return key;
  if (mistake->seed == OF_16_BITS)
    seed = key.word[0] % SEEDS;
  for (gsize i = 0; mistake->seed == OF_THE_DATA && i < records.rows; i++)
    seed += hash_of (assay_view_row (records, i), records.cols);
  return assay_stream_key (seed, 0, "mutant", "seed");
}

/* A run of the base to be played again: of the same records, with other noise. */
typedef struct {
  const AssayMutant *mutant;
  const AssayDefenseContext *context;
  AssayView records;
  gsize n; /* numbers that it releases */
} Rerun;

static AssayStreamKey
key_of_rerun (const Rerun *rerun, guint k)
{
  const guint32 *word = rerun->context->stream.word;

  return assay_stream_key ((guint64) word[1] << 32 | word[0], k, "mutant", "again");
}

/* Adds the numbers of run @k of the base to @sum. */
static gboolean
add_run (const Rerun *rerun, guint k, double *sum, GError **error)
{
  const AssayDefense *base = rerun->mutant->base;
  AssayDefenseContext inner = *rerun->context;
  g_autoptr (AssayRelease) release
      = assay_release_new (assay_defense_produces (base, inner.settings), base->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayMatrix *copy = assay_matrix_copy (rerun->records, error);
  const AssayArray *array;

  if (copy == NULL)
    return FALSE;
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (copy));
  inner.stream = inner.common_stream = key_of_rerun (rerun, k);
  if (!base->protect (&inner, rerun->records, release, truth, error)
      || !assay_release_check (release, error))
    return FALSE;
  array = release->arrays.arrays->pdata[0];
  if (assay_array_count (array) != rerun->n)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%zu numbers were released of records of which before there were %zu",
                       assay_array_count (array), rerun->n);
  for (gsize i = 0; i < rerun->n; i++)
    sum[i] += assay_array_view (array).data[i];
  return TRUE;
}

/* The mean of @runs runs. */
static float *
centre_of (const Rerun *rerun, guint runs, GError **error)
{
  g_autofree double *sum = g_new0 (double, MAX (rerun->n, 1));
  g_autofree float *centre = g_new (float, MAX (rerun->n, 1));

  for (guint k = 0; k < runs; k++)
    if (!add_run (rerun, k, sum, error))
      return NULL;
  for (gsize i = 0; i < rerun->n; i++)
    centre[i] = (float) (sum[i] / runs);
  return g_steal_pointer (&centre);
}

/* Changes what was released in place of @ret_release. */
static gboolean
alter (const AssayMutant *mutant, const AssayDefenseContext *context, AssayView records,
       AssayRelease *ret_release, GError **error)
{
  const Mistake *mistake = mutant->own;
  AssayArray *array = ret_release->arrays.arrays->pdata[0];
  const gsize n = assay_array_count (array);
  g_autofree float *numbers = g_memdup2 (array->data, n * sizeof (float));
  g_autofree float *centre = NULL;
  Released released = { .numbers = numbers, .n = n, .records = records };
  const Rerun rerun = { mutant, context, records, n };
  gsize shape[ASSAY_MAX_DIMENSIONS];

  if (mistake->runs > 0) {
    released.centre = centre = centre_of (&rerun, mistake->runs, error);
    if (centre == NULL)
      return FALSE;
  }
  if (n == 0 || (n == 1 && mistake->needs_numbers))
    return TRUE;
  released.stream = assay_stream (assay_stream_key (context->stream.word[0],
                                                    context->stream.word[1], "mutant", "mistake"),
                                  0);
  mistake->alter (&released);
  memcpy (shape, array->shape, sizeof shape);
  ret_release->arrays.arrays->pdata[0] = assay_array_take (array->type, array->n_dimensions, shape,
                                                           g_steal_pointer (&numbers));
  assay_array_free (array);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  AssayMutant *mutant = assay_mutant_of (context->settings);
  const AssayMechanism *mechanism = mutant->base->mechanism;
  const Mistake *mistake = mutant->own;
  AssayDefenseContext inner = *context;
  g_autoptr (AssayDomain) domain = mechanism->domain != NULL
                                       ? mechanism->domain (context->settings, secrets.cols)
                                       : NULL;
  g_autoptr (AssayMatrix) records = NULL;

  inner.stream = key_of (mistake, context->stream, secrets);
  if (mistake->seed != AS_THEY_COME)
    inner.common_stream = inner.stream;
  if (mistake->times > 0) {
    records = repeat (mistake, domain, secrets, error);
    if (records == NULL)
      return FALSE;
    secrets = assay_matrix_view (records);
  }
  return mutant->base->protect (&inner, secrets, ret_release, ret_truth, error)
         && assay_release_check (ret_release, error)
         && (mistake->alter == NULL || alter (mutant, context, secrets, ret_release, error));
}

const AssayMutantKind *
assay_dataset_mutant_kind (guint index)
{
  return index < G_N_ELEMENTS (mistakes) ? &mistakes[index].kind : NULL;
}

AssayMutant *
assay_dataset_mutant_new (guint index, const AssayDefense *base, const AssaySettings *settings,
                          const char **ret_why_not)
{
  AssayMutant *mutant;

  *ret_why_not = NULL;
  if (base->mechanism->canaries == NULL)
    *ret_why_not = "each secret is protected for itself, so that there is no dataset";
  if (*ret_why_not != NULL)
    return NULL;
  mutant = assay_mutant_new (base, settings);
  mutant->own = (gpointer) &mistakes[index];
  mutant->defense.protect = protect;
  return mutant;
}
