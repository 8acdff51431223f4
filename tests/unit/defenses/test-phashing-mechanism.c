/* Random Flipping, phashing and pitq in the distinguishing game: probabilities written out and
 * enumerated for small codes, the tight event, neighbours, and what small datasets give away. */
#include "defenses/codes/flipping-mechanism.h"
#include "tests/unit/mechanism-case.h"
#include "tests/unit/seeds.h"

enum { N = 200000, MOST_BITS = 8 };

/* The chance of a flip as the paper sets it, and as randomised response does. */
static double
paper_beta (double epsilon, double rounds)
{
  return 1 / exp (epsilon / rounds);
}

static double
response_beta (double epsilon, double rounds)
{
  return 1 / (1 + exp (epsilon / rounds));
}

static void
bits_of (gsize number, gsize bits, float *ret_bits)
{
  for (gsize j = 0; j < bits; j++)
    ret_bits[j] = (float) (number >> j & 1);
}

static gsize
number_of (const float *bits, gsize n)
{
  gsize number = 0;

  for (gsize j = 0; j < n; j++) {
    cr_assert (bits[j] == 0 || bits[j] == 1, "%g is no bit", (double) bits[j]);
    number |= (gsize) bits[j] << j;
  }
  return number;
}

/* P[outputs | input], outputs after each of the rounds. */
static double
probability (const float *outputs, gsize n_outputs, const float *input, gsize n_inputs, double beta)
{
  double p = 1;

  for (gsize j = 0; j < n_outputs; j++)
    p *= outputs[j] == input[j % n_inputs] ? 1 - beta : beta;
  return p;
}

/* Over all outputs of pair 0: the sums of both probabilities are 1, log_ratio is theirs, and the
 * largest one is @epsilon; the chances of outputs that reach it are those of the tight event. */
static void
check_against_enumeration (const Case *c, double beta, double epsilon)
{
  const gsize count = (gsize) 1 << c->n_outputs;
  const double expected = epsilon + 1e-9;
  double whole[2] = { 0, 0 }, tight[2] = { 0, 0 }, closed[2], largest = 0;
  float first[MOST_BITS], second[MOST_BITS], output[MOST_BITS];

  cr_assert (c->n_outputs <= MOST_BITS && c->mechanism->has_density (c->settings->values));
  case_pair (c, 0, first, second);
  for (gsize y = 0; y < count; y++) {
    double p, q, ratio;

    bits_of (y, c->n_outputs, output);
    p = probability (output, c->n_outputs, first, c->n_inputs, beta);
    q = probability (output, c->n_outputs, second, c->n_inputs, beta);
    ratio = log (p / q);
    whole[0] += p;
    whole[1] += q;
    assert_near (case_log_ratio (c, first, second, output), ratio, 1e-9 * (1 + fabs (ratio)),
                 "%s: output %zu", c->name, y);
    largest = fmax (largest, fabs (ratio));
    if (ratio > epsilon - 1e-9) {
      tight[0] += p;
      tight[1] += q;
    }
  }
  assert_near (whole[0], 1, 1e-12, "%s: first", c->name);
  assert_near (whole[1], 1, 1e-12, "%s: second", c->name);
  assert_near (largest, epsilon, 1e-9 * expected, "%s: epsilon", c->name);
  c->mechanism->tight_event (c->settings->values, c->cols, epsilon, &closed[0], &closed[1]);
  assert_near (closed[0], tight[0], 1e-9, "%s: tight event, first", c->name);
  assert_near (closed[1], tight[1], 1e-9, "%s: tight event, second", c->name);
}

/* Runs on 1, 0, 1, ... and on 0, 1, 0, ... against the probabilities. */
static void
check_runs (const Case *c, double beta)
{
  const gsize count = (gsize) 1 << c->n_outputs;
  g_autofree double *p = g_new (double, count);
  float inputs[2][MOST_BITS], output[MOST_BITS];

  for (gsize j = 0; j < c->n_inputs; j++) {
    inputs[0][j] = j % 2 == 0 ? 1 : 0;
    inputs[1][j] = 1 - inputs[0][j];
  }
  for (gsize side = 0; side < 2; side++) {
    g_autofree gsize *counts = g_new0 (gsize, count);
    g_autofree float *outputs = case_run (c, side == 0 ? "first" : "second", inputs[side], N);

    for (gsize i = 0; i < N; i++)
      counts[number_of (outputs + i * c->n_outputs, c->n_outputs)]++;
    for (gsize y = 0; y < count; y++) {
      bits_of (y, c->n_outputs, output);
      p[y] = probability (output, c->n_outputs, inputs[side], c->n_inputs, beta);
      assert_share (counts[y], N, p[y], c->name, "output");
    }
    if (count == 2) /* one share says all */
      continue;
    assert_frequencies (counts, p, count, c->name);
  }
}

/* The paper's beta: 1.2587, 0.4328, 0.5413, 1.8546, 3.9815, above the claim in the first alone. */
Test (phashing_mechanism, bits_and_codes)
{
  static const double epsilons[] = { 0.25, 0.5, 1, 2, 4 };
  static const double of_a_bit[] = { 1.258692, 0.432752, 0.541325, 1.854587, 3.981515 };

  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++)
    for (gsize bits = 1; bits <= 4; bits++) {
      g_autofree char *text = g_strdup_printf ("epsilon=%g bits=%zu", epsilons[i], bits);
      g_autofree char *code = g_strconcat (text, " relation=code", NULL);
      g_autofree char *calibrated = g_strconcat (code, " calibration=randomised-response", NULL);
      g_auto (Case) one = case_of ("phashing", text, 3);
      g_auto (Case) whole = case_of ("phashing", code, 3);
      g_auto (Case) response = case_of ("phashing", calibrated, 3);
      const double beta = paper_beta (epsilons[i], 1), c = (double) bits;

      cr_assert (one.n_inputs == 1 && one.n_outputs == 1 && whole.n_inputs == bits
                 && whole.n_outputs == bits);
      assert_near (fabs (log ((1 - beta) / beta)), of_a_bit[i], 1e-6, "epsilon %g", epsilons[i]);
      cr_assert ((of_a_bit[i] > epsilons[i]) == (epsilons[i] < log ((1 + sqrt (5)) / 2)));
      check_against_enumeration (&one, beta, fabs (log ((1 - beta) / beta)));
      check_against_enumeration (&whole, beta, c * fabs (log ((1 - beta) / beta)));
      check_against_enumeration (&response, response_beta (epsilons[i], 1), c * epsilons[i]);
      check_runs (&one, beta);
      if (epsilons[i] <= 1 && bits <= 3) {
        check_runs (&whole, beta);
        check_runs (&response, response_beta (epsilons[i], 1));
      }
    }
}

/* E flips of epsilon / E each, seen one by one. */
Test (phashing_mechanism, rounds_of_pitq)
{
  static const struct {
    const char *text;
    double epsilon;
    gsize bits, rounds;
  } cases[] = { { "epsilon=0.5 iterations=3", 0.5, 1, 3 },
                { "epsilon=1 iterations=1", 1, 1, 1 },
                { "epsilon=2 iterations=4 bits=2 relation=code", 2, 2, 4 },
                { "epsilon=4 iterations=5 bits=1 relation=code", 4, 1, 5 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of ("pitq", cases[i].text, 3);
    const double beta = paper_beta (cases[i].epsilon, (double) cases[i].rounds);

    cr_assert (c.n_inputs == cases[i].bits && c.n_outputs == cases[i].bits * cases[i].rounds);
    check_against_enumeration (&c, beta, (double) c.n_outputs * fabs (log ((1 - beta) / beta)));
    check_runs (&c, beta);
  }
}

/* Where beta is 1 - 1e-9 or so, the chance of a bit that is kept is not lost to rounding. */
Test (phashing_mechanism, chances_keep_their_digits)
{
  double kept, turned;

  flipping_chances (FLIPPING_PAPER, 1e-9, &kept, &turned);
  assert_near (kept, 1e-9, 1e-17, "kept");
  assert_near (turned, 1 - 1e-9, 1e-15, "turned");
  flipping_chances (FLIPPING_RANDOMISED_RESPONSE, 40, &kept, &turned);
  assert_near (turned, exp (-40), 1e-28, "turned");
}

Test (phashing_mechanism, what_is_claimed)
{
  static const struct {
    const char *id, *text;
    double epsilon;
  } cases[] = {
    { "phashing", "epsilon=0.5 bits=12", 0.5 },
    { "phashing", "epsilon=0.5 bits=12 relation=code", 0.5 },
    { "phashing", "epsilon=0.5 bits=12 relation=record", 0.5 },
    { "phashing", "epsilon=0.5 bits=12 calibration=randomised-response", 0.5 },
    { "phashing", "epsilon=0.5 bits=12 relation=code calibration=randomised-response", 6 },
    { "phashing", "epsilon=0.5 bits=12 relation=record calibration=randomised-response", 6 },
    { "pitq", "epsilon=0.5 bits=12 iterations=7", 0.5 },
    { "pitq", "epsilon=0.5 bits=12 iterations=7 relation=record", 0.5 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of (cases[i].id, cases[i].text, 3);
    const AssayBudget budget = c.mechanism->budget (c.settings->values, 3);

    cr_assert (budget.epsilon == cases[i].epsilon && budget.delta == 0, "%s: %g", c.name,
               budget.epsilon);
  }
}

/* ---- Neighbours ---- */

Test (phashing_mechanism, pairs_are_neighbours)
{
  static const struct {
    const char *text;
    gsize unit, most; /* inputs come in units, of which from 1 to @most differ */
  } cases[] = { { "relation=bit bits=5", 1, 1 },
                { "relation=code bits=5", 1, 5 },
                { "relation=record bits=2 records=5", 3, 1 },
                { "relation=record bits=2 records=8", 3, 1 } };
  static const char *const ids[] = { "phashing", "pitq" };

  for (gsize k = 0; k < 2 * G_N_ELEMENTS (cases); k++) {
    const gsize i = k / 2;
    g_auto (Case) c = case_of (ids[k % 2], cases[i].text, 3);
    g_autofree float *first = g_new (float, 2 * c.n_inputs);
    float *second = first + c.n_inputs;
    gsize most = 0;

    for (guint index = 0; index < 200; index++) {
      gsize apart = 0;

      case_pair (&c, index, first, second);
      for (gsize j = 0; j < c.n_inputs; j += cases[i].unit)
        apart += memcmp (first + j, second + j, cases[i].unit * sizeof (float)) != 0;
      cr_assert (apart >= 1 && apart <= cases[i].most, "%s, pair %u: %zu", c.name, index, apart);
      most = MAX (most, apart);
    }
    cr_assert (most == cases[i].most, "%s: %zu", c.name, most);
  }
}

/* ---- Small datasets ---- */

/* Whether records @a and @b of one output have the same code. */
static gboolean
shares_code (const float *output, gsize bits, gsize a, gsize b)
{
  return memcmp (output + a * bits, output + b * bits, bits * sizeof (float)) == 0;
}

/* Of @count runs on one side of pair 0: in how many records 0 and 1 share a code. */
static gsize
count_shared (const Case *c, gsize bits, guint side, gsize count)
{
  g_autofree float *inputs = g_new (float, 2 * c->n_inputs);
  g_autofree float *outputs = NULL;
  gsize shared = 0;

  case_pair (c, 0, inputs, inputs + c->n_inputs);
  outputs = case_run (c, side == 0 ? "first" : "second", inputs + side * c->n_inputs, count);
  for (gsize i = 0; i < count; i++)
    shared += shares_code (outputs + i * c->n_outputs, bits, 0, 1) ? 1 : 0;
  return shared;
}

/* Whatever epsilon and the number of iterations: the last step is not flipped. */
Test (phashing_mechanism, duplicates_share_their_code_in_pitq)
{
  enum { RUNS = 400 };
  static const struct {
    const char *text;
    gsize bits, cols;
  } cases[] = { { "epsilon=0.25 iterations=50 bits=1 records=3", 1, 1 },
                { "epsilon=0.25 iterations=50 bits=2", 2, 2 },
                { "epsilon=4 iterations=50 bits=2 looks_at=all", 2, 2 },
                { "epsilon=1 iterations=1 bits=2", 2, 2 },
                { "epsilon=1 iterations=5 bits=3 records=8", 3, 4 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text = g_strconcat ("relation=record ", cases[i].text, NULL);
    g_auto (Case) c = case_of ("pitq", text, cases[i].cols);
    const gsize first = count_shared (&c, cases[i].bits, 0, RUNS);
    const gsize second = count_shared (&c, cases[i].bits, 1, RUNS);

    cr_assert (!c.mechanism->has_density (c.settings->values));
    cr_assert (first == RUNS && second == 0, "%s: %zu and %zu of %d", text, first, second, RUNS);
  }
}

/* The defense itself does what its mechanism does. */
Test (phashing_mechanism, duplicates_share_their_code_in_the_release_of_pitq)
{
  g_auto (Case) c = case_of ("pitq", "relation=record bits=2 iterations=50 epsilon=0.5", 2);
  float inputs[2][8];

  case_pair (&c, 0, inputs[0], inputs[1]);
  for (guint64 seed = 0; seed < 40; seed++)
    for (gsize side = 0; side < 2; side++) {
      const AssayView secrets = { 4, 2, 2, inputs[side] };
      g_autoptr (AssayRelease) release = NULL;
      g_autoptr (AssayTruth) truth = NULL;
      g_autoptr (GError) error = NULL;
      const guint8 *codes;

      cr_assert (fixture_protect (c.defense, c.settings,
                                  assay_stream_key (seed, side, "release", ""), secrets, NULL,
                                  &release, &truth, &error),
                 "%s", error != NULL ? error->message : "");
      codes = assay_arrays_get (&release->arrays, "codes")->data;
      cr_assert ((codes[0] == codes[1]) == (side == 0), "seed %d, side %zu: %u and %u", (int) seed,
                 side, codes[0], codes[1]);
    }
}

/* R as it is returned: orthonormal, and not always the same. */
Test (phashing_mechanism, pitq_returns_its_rotation)
{
  enum { BITS = 2, RUNS = 50, CODES = 4 * BITS };
  g_auto (Case) c = case_of ("pitq", "relation=record looks_at=all bits=2 iterations=5", 2);
  float inputs[2][8];
  g_autofree float *outputs = NULL;
  gsize different = 0;

  case_pair (&c, 0, inputs[0], inputs[1]);
  outputs = case_run (&c, "run", inputs[0], RUNS);
  cr_assert (c.n_inputs == 8 && c.n_outputs == CODES + BITS * BITS);
  for (gsize i = 0; i < RUNS; i++) {
    const float *r = outputs + i * c.n_outputs + CODES;

    assert_near (hypot (r[0], r[1]), 1, 1e-5, "run %zu", i);
    assert_near (hypot (r[2], r[3]), 1, 1e-5, "run %zu", i);
    assert_near (r[0] * r[2] + r[1] * r[3], 0, 1e-5, "run %zu", i);
    different += memcmp (r, outputs + CODES, BITS * BITS * sizeof (float)) != 0;
  }
  cr_assert (different > 0);
}

/* Of one bit, R after an iteration is the sign of sum_i s_i |v_i|, with s_i = -1 where the bit of
 * record i was turned; the second dataset has |v| = 2, 2, 1, 1. Where the sum is 0, R is rounding.
 */
Test (phashing_mechanism, pitq_flips_inside_its_iterations)
{
  enum { RUNS = 20000 };
  static const double sizes[] = { 2, 2, 1, 1 };
  g_auto (Case) c = case_of ("pitq",
                             "relation=record looks_at=all bits=1 iterations=1 "
                             "epsilon=0.25",
                             1);
  const double beta = paper_beta (0.25, 1), slack = DEVIATIONS * 0.5 / sqrt (RUNS);
  float inputs[2][4];
  g_autofree float *outputs = NULL;
  double above = 0, level = 0, share = 0;

  case_pair (&c, 0, inputs[0], inputs[1]);
  outputs = case_run (&c, "run", inputs[1], RUNS);
  for (gsize i = 0; i < RUNS; i++)
    share += outputs[i * c.n_outputs + 4] > 0 ? 1.0 / RUNS : 0;
  for (gsize turned = 0; turned < 16; turned++) {
    double sum = 0, p = 1;

    for (gsize i = 0; i < 4; i++) {
      const gboolean is_turned = turned >> i & 1;

      sum += is_turned ? -sizes[i] : sizes[i];
      p *= is_turned ? beta : 1 - beta;
    }
    above += sum > 0 ? p : 0;
    level += sum == 0 ? p : 0;
  }
  cr_assert (share >= above - slack && share <= above + level + slack, "%g of %g to %g", share,
             above, above + level);
}

/* At epsilon = 20 beta is 2e-9, and codes are as h gives them: with the outlier all others are on
 * one side, without it they alternate. */
Test (phashing_mechanism, an_outlier_changes_the_codes_of_others)
{
  enum { RECORDS = 8, RUNS = 20 };
  static const char *const methods[] = { "itq", "lsh" };

  for (gsize m = 0; m < G_N_ELEMENTS (methods); m++) {
    g_autofree char *text = g_strdup_printf ("relation=record bits=1 records=%d epsilon=20 "
                                             "base=%s",
                                             RECORDS, methods[m]);
    g_auto (Case) c = case_of ("phashing", text, 1);
    float inputs[2][RECORDS];

    case_pair (&c, 0, inputs[0], inputs[1]);
    cr_assert (c.n_inputs == RECORDS && c.n_outputs == RECORDS);
    cr_assert (!c.mechanism->has_density (c.settings->values));
    for (guint side = 0; side < 2; side++) {
      g_autofree float *outputs = case_run (&c, side == 0 ? "first" : "second", inputs[side], RUNS);

      for (gsize i = 0; i < RUNS; i++)
        for (gsize k = 1; k < RECORDS; k++) {
          const gboolean is_as_last = shares_code (outputs + i * c.n_outputs, 1, k, RECORDS - 1);

          cr_assert (is_as_last == (side == 0 || k % 2 == 1), "%s, side %u, record %zu", text, side,
                     k);
        }
    }
  }
}

/* Flips come after: how often the codes of two neighbours of 1 record each agree, 1 - 2 b (1 - b)
 * where h gives them the same one. */
Test (phashing_mechanism, codes_of_records_are_flipped)
{
  enum { RECORDS = 8 };
  const gsize runs = test_is_brief () ? 500 : 20000;
  g_auto (Case) c = case_of ("phashing", "relation=record bits=1 records=8 epsilon=1 base=itq", 1);
  const double b = exp (-1), agree = 1 - 2 * b * (1 - b);
  float inputs[2][RECORDS];

  case_pair (&c, 0, inputs[0], inputs[1]);
  for (guint side = 0; side < 2; side++) {
    g_autofree float *outputs = case_run (&c, side == 0 ? "first" : "second", inputs[side], runs);
    gsize shared = 0;

    for (gsize i = 0; i < runs; i++)
      shared += shares_code (outputs + i * c.n_outputs, 1, 2, 7) ? 1 : 0;
    assert_share (shared, runs, side == 0 ? agree : 1 - agree, c.name, "records 2 and 7");
  }
}

/* looks_at = all: the mean of the records, 2 and 0 apart by 16 / 8. */
Test (phashing_mechanism, the_function_is_seen)
{
  g_auto (Case) c
      = case_of ("phashing", "relation=record looks_at=all bits=1 records=8 base=itq", 1);
  float inputs[2][8], means[2];

  case_pair (&c, 0, inputs[0], inputs[1]);
  cr_assert (c.n_outputs == 8 + 1 + 1);
  for (guint side = 0; side < 2; side++) {
    g_autofree float *outputs = case_run (&c, side == 0 ? "first" : "second", inputs[side], 1);

    means[side] = outputs[8];
    assert_near (fabs (outputs[9]), 1, 1e-6, "the projection of one number");
  }
  assert_near (means[0], 15 / 8.0, 1e-6, "with the outlier");
  assert_near (means[1], -1 / 8.0, 1e-6, "without it");
}

/* ---- Refusals ---- */

Test (phashing_mechanism, small_datasets_need_components)
{
  static const struct {
    const char *id, *text;
    gsize cols;
    const char *starts; /* NULL: it is right */
  } cases[] = {
    { "pitq", "relation=record bits=2", 2, NULL },
    { "pitq", "relation=record bits=2 records=3", 2,
      "relation = record, 3 records of 2 numbers: bits = 2: " },
    { "pitq", "relation=bit bits=2", 2, NULL },
    { "phashing", "relation=record base=itq bits=1", 1, NULL },
    { "phashing", "relation=record base=itq bits=3 records=3", 4,
      "relation = record, 3 records of 4 numbers: bits = 3: " },
    { "phashing", "relation=record base=lsh bits=4", 3, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of (cases[i].id, cases[i].text, cases[i].cols);
    const AssayShape shape = { .n_secrets = 100, .cols = cases[i].cols };
    g_autoptr (GError) error = NULL;
    const gboolean is_right = c.defense->check (c.settings->values, &shape, &error);

    cr_assert (is_right == (cases[i].starts == NULL), "%s: %s", c.name,
               error != NULL ? error->message : "");
    cr_assert (is_right || g_str_has_prefix (error->message, cases[i].starts), "%s: %s", c.name,
               error->message);
  }
}
