/* Randomised response, unary encoding and omega-subset: frequencies against probabilities written
 * out, and epsilon as the largest ratio over all outputs. */
#include "tests/unit/mechanism-case.h"

enum { N = 400000 };

/* ---- Randomised response ---- */

static void
bits_of (gsize number, gsize c, float *ret_bits)
{
  for (gsize j = 0; j < c; j++)
    ret_bits[j] = (float) (number >> j & 1);
}

static gsize
number_of (const float *bits, gsize c)
{
  gsize number = 0;

  for (gsize j = 0; j < c; j++) {
    cr_assert (bits[j] == 0 || bits[j] == 1, "%g is no bit", (double) bits[j]);
    number |= (gsize) bits[j] << j;
  }
  return number;
}

/* P[y | x], with the chance of a flip as its own quotient of exponentials. */
static double
response_probability (gsize y, gsize x, gsize c, double bit_epsilon)
{
  const double keep = exp (bit_epsilon) / (exp (bit_epsilon) + 1);
  double p = 1;

  for (gsize j = 0; j < c; j++)
    p *= (y >> j & 1) == (x >> j & 1) ? keep : 1 - keep;
  return p;
}

/* Over all inputs and outputs: the ratio is that of the probabilities, and the largest between
 * neighbours is epsilon. */
static void
check_response (const Case *c, double epsilon, double bit_epsilon, gboolean is_one_bit)
{
  const gsize codes = (gsize) 1 << c->cols;
  g_autofree double *p = g_new (double, codes);
  double largest = 0;

  for (gsize x = 0; x < codes; x++) {
    g_autofree gsize *counts = g_new0 (gsize, codes);
    g_autofree float *outputs = NULL;
    float first[8], second[8], output[8];

    bits_of (x, c->cols, first);
    outputs = case_run (c, "run", first, N);
    for (gsize i = 0; i < N; i++)
      counts[number_of (outputs + i * c->cols, c->cols)]++;
    for (gsize y = 0; y < codes; y++)
      p[y] = response_probability (y, x, c->cols, bit_epsilon);
    if (codes >= 4)
      assert_frequencies (counts, p, codes, c->name);
    else
      assert_share (counts[0], N, p[0], c->name, "zeros");
    for (gsize other = 0; other < codes; other++)
      for (gsize y = 0; y < codes; y++) {
        const double expected = log (p[y] / response_probability (y, other, c->cols, bit_epsilon));

        bits_of (other, c->cols, second);
        bits_of (y, c->cols, output);
        assert_near (case_log_ratio (c, first, second, output), expected, 1e-12, "%s", c->name);
        if (!is_one_bit || ((x ^ other) & ((x ^ other) - 1)) == 0)
          largest = MAX (largest, expected);
      }
  }
  assert_near (largest, epsilon, 1e-12, "%s: epsilon", c->name);
}

Test (mechanisms_discrete, randomised_response)
{
  g_auto (Case) scalar = case_of ("randomised-response", "epsilon=1", 1);
  g_auto (Case) whole = case_of ("randomised-response", "epsilon=1.5", 3);
  g_auto (Case) bit = case_of ("randomised-response", "epsilon=1.5 relation=one-bit", 3);
  g_auto (Case) fair = case_of ("randomised-response", "epsilon=0", 3);

  check_response (&scalar, 1, 1, FALSE);
  check_response (&whole, 1.5, 0.5, FALSE);
  check_response (&bit, 1.5, 1.5, TRUE);
  check_response (&fair, 0, 0, FALSE);
}

/* Neighbours: complementary codes; one bit apart where that is the relation; never the same. */
Test (mechanisms_discrete, neighbours_of_randomised_response)
{
  g_auto (Case) whole = case_of ("randomised-response", "", 5);
  g_auto (Case) bit = case_of ("randomised-response", "relation=one-bit", 5);
  gsize apart_by[6] = { 0 };

  for (guint index = 0; index < 2000; index++)
    for (guint k = 0; k < 2; k++) {
      float first[5], second[5];
      gsize difference, apart = 0;

      case_pair (k == 0 ? &whole : &bit, index, first, second);
      difference = number_of (first, 5) ^ number_of (second, 5);
      for (gsize j = 0; j < 5; j++)
        apart += difference >> j & 1;
      if (k == 1 || index == 0)
        cr_assert (apart == (k == 0 ? 5 : 1), "pair %u: %zu bits apart", index, apart);
      else
        apart_by[apart]++;
    }
  cr_assert (apart_by[0] == 0);
  for (gsize a = 1; a <= 5; a++) /* 1 + Binomial (4, 1/2): the rarest have 1 in 16 */
    cr_assert (apart_by[a] > 2000 / 16 / 2, "%zu bits apart: %zu times", a, apart_by[a]);
}

/* ---- Unary encoding ---- */

enum { VALUES = 4, CODES = 1 << VALUES };

/* P[y | v] of independent bits. */
static void
unary_probabilities (double own, double other, gsize v, double *ret_p)
{
  for (gsize y = 0; y < CODES; y++) {
    ret_p[y] = 1;
    for (gsize j = 0; j < VALUES; j++) {
      const double one = j == v ? own : other;

      ret_p[y] *= y >> j & 1 ? one : 1 - one;
    }
  }
}

static void
check_unary (const char *encoding, const char *defect, double own, double other, double epsilon)
{
  g_autofree char *assignments
      = g_strdup_printf ("epsilon=1 values=4 encoding=%s defect=%s", encoding, defect);
  g_auto (Case) c = case_of ("unary-encoding", assignments, 1);
  double p[VALUES][CODES], largest = 0;

  cr_assert (c.n_inputs == 1 && c.n_outputs == VALUES && c.mechanism->log_ratio == NULL);
  assert_near (c.mechanism->budget (c.settings->values, 1).epsilon, 1, 0, "%s: claim", c.name);
  for (gsize v = 0; v < VALUES; v++) {
    const float input = (float) v;
    g_autofree float *outputs = case_run (&c, "run", &input, N);
    gsize counts[CODES] = { 0 };

    for (gsize i = 0; i < N; i++)
      counts[number_of (outputs + i * VALUES, VALUES)]++;
    unary_probabilities (own, other, v, p[v]);
    assert_frequencies (counts, p[v], CODES, c.name);
  }
  for (gsize v = 0; v < VALUES; v++)
    for (gsize w = 0; w < VALUES; w++)
      for (gsize y = 0; y < CODES; y++)
        largest = MAX (largest, log (p[v][y] / p[w][y]));
  assert_near (largest, epsilon, 1e-12, "%s: epsilon", c.name);
}

/* With the noise kept under the true bit, 1 - p' = (1 - p)(1 - q): epsilon is
 * ln ((1 - p q) / q^2) for the symmetric encoding and 1 + ln ((1 + q) / (1 - q)) for the other. */
Test (mechanisms_discrete, unary_encoding_and_its_defects)
{
  const double p = sqrt (G_E) / (sqrt (G_E) + 1), q = 1 - p, rare = 1 / (G_E + 1);

  check_unary ("symmetric", "none", p, q, 1);
  check_unary ("optimised", "none", 0.5, rare, 1);
  check_unary ("symmetric", "swapped", q, p, 1);
  check_unary ("optimised", "swapped", rare, 0.5, 1);
  check_unary ("symmetric", "mixed", p, rare, 1.5);
  check_unary ("optimised", "mixed", p, rare, 1.5);
  check_unary ("symmetric", "kept-noise", 1 - q * p, q, log ((1 - p * q) / (q * q)));
  check_unary ("optimised", "kept-noise", 0.5 + 0.5 * rare, rare,
               1 + log ((1 + rare) / (1 - rare)));
  cr_assert (log ((1 - p * q) / (q * q)) > 1.6, "the defect is small");
}

/* ---- Omega-subset ---- */

/* Place of an ordered choice of @m of 0 .. k - 1 among all of them. */
static gsize
choice_number (const float *set, gsize m, gsize k)
{
  gsize number = 0;

  for (gsize i = 0; i < m; i++) {
    gsize rank = (gsize) set[i];

    cr_assert (set[i] >= 0 && set[i] < (float) k && set[i] == floorf (set[i]), "%g",
               (double) set[i]);
    for (gsize j = 0; j < i; j++) {
      cr_assert (set[j] != set[i], "%g stands in a set twice", (double) set[i]);
      rank -= set[j] < set[i];
    }
    number = number * (k - i) + rank;
  }
  return number;
}

static void
nth_choice (gsize number, gsize m, gsize k, float *ret_set)
{
  gsize ranks[8];

  for (gsize i = m; i-- > 0;) {
    ranks[i] = number % (k - i);
    number /= k - i;
  }
  for (gsize i = 0; i < m; i++) {
    gsize rank = ranks[i], value = 0;

    for (;; value++) {
      gboolean is_used = FALSE;

      for (gsize j = 0; j < i; j++)
        is_used |= ret_set[j] == (float) value;
      if (!is_used && rank-- == 0)
        break;
    }
    ret_set[i] = (float) value;
  }
}

static gboolean
holds (const float *set, gsize m, float value)
{
  for (gsize i = 0; i < m; i++)
    if (set[i] == value)
      return TRUE;
  return FALSE;
}

/* All ordered outputs of a dictionary of 5, every one of which has probability exp (epsilon) w or
 * w, by whether it holds the secret; w makes them add up to 1. */
static void
check_subset (gsize m, double epsilon)
{
  enum { K = 5 };
  g_autofree char *assignments
      = g_strdup_printf ("epsilon=%g dictionary=5 members=%d", epsilon, (int) m);
  g_auto (Case) c = case_of ("omega-subset", assignments, 1);
  double p[K][120], largest = 0;
  gsize choices = 1;

  for (gsize i = 0; i < m; i++)
    choices *= K - i;
  for (gsize v = 0; v < K; v++) {
    const float input = (float) v;
    g_autofree float *outputs = case_run (&c, "run", &input, N);
    g_autofree gsize *counts = g_new0 (gsize, choices);
    double whole = 0;

    for (gsize i = 0; i < N; i++)
      counts[choice_number (outputs + i * m, m, K)]++;
    for (gsize y = 0; y < choices; y++) {
      float set[K];

      nth_choice (y, m, K, set);
      p[v][y] = holds (set, m, input) ? exp (epsilon) : 1;
      whole += p[v][y];
    }
    for (gsize y = 0; y < choices; y++)
      p[v][y] /= whole;
    assert_frequencies (counts, p[v], choices, c.name);
  }
  for (gsize v = 0; v < K; v++)
    for (gsize w = 0; w < K; w++)
      for (gsize y = 0; y < choices; y++) {
        const float first = (float) v, second = (float) w;
        const double expected = log (p[v][y] / p[w][y]);
        float set[K];

        nth_choice (y, m, K, set);
        assert_near (case_log_ratio (&c, &first, &second, set), expected, 1e-12, "%s", c.name);
        largest = MAX (largest, expected);
      }
  assert_near (largest, epsilon, 1e-12, "%s: epsilon", c.name);
}

Test (mechanisms_discrete, omega_subset_by_enumeration)
{
  for (gsize m = 1; m <= 4; m++) {
    check_subset (m, 1.2);
    check_subset (m, 0);
  }
}

/* Large ones: the secret is in Z as often as equation 5 says and at every place alike, the others
 * are distinct and uniform. */
static void
check_large_subset (const char *assignments, gsize k, gsize m, double epsilon, float value)
{
  const gsize n = N / m, cells = MIN (k - 1, 100);
  const double weight = (double) m * exp (epsilon);
  const double in = weight / (weight + (double) (k - m));
  g_auto (Case) c = case_of ("omega-subset", assignments, 1);
  g_autofree float *outputs = case_run (&c, "run", &value, n);
  g_autofree gsize *places = g_new0 (gsize, m);
  g_autofree gsize *others = g_new0 (gsize, cells);
  g_autofree double *p = g_new0 (double, cells);
  gsize n_in = 0;

  for (gsize i = 0; i < n; i++) {
    const float *set = outputs + i * m;
    const gsize before = n_in;

    choice_number (set, MIN (m, 20), k);
    for (gsize j = 0; j < m; j++)
      if (set[j] == value) {
        n_in++;
        places[j]++;
      } else {
        const gsize rank = (gsize) set[j] - (set[j] > value);

        others[rank * cells / (k - 1)]++;
      }
    cr_assert (n_in <= before + 1, "%s: the secret stands in a set twice", c.name);
  }
  assert_share (n_in, n, in, c.name, "sets with the secret");
  if (m >= 4 && n_in / m > 5)
    cr_assert (sample_chi_square (places, m) < sample_chi_square_bound (m, ALPHA), "%s: places",
               c.name);
  for (gsize rank = 0; rank < k - 1; rank++)
    p[rank * cells / (k - 1)] += 1 / (double) (k - 1);
  /* Drawn without replacement: the variance is smaller than the test takes it to be. */
  assert_frequencies (others, p, cells, c.name);
}

Test (mechanisms_discrete, omega_subset_in_large_dictionaries)
{
  check_large_subset ("epsilon=3", 200, 8, 3, 17);
  check_large_subset ("epsilon=3", 200, 8, 3, 199);
  check_large_subset ("epsilon=0.5 members=150", 200, 150, 0.5, 0);
  check_large_subset ("epsilon=60 members=100", 200, 100, 60, 100);
  check_large_subset ("epsilon=10 dictionary=256000 members=2", 256000, 2, 10, 128000);
  check_large_subset ("epsilon=15 dictionary=16777216 members=4", 16777216, 4, 15, 16777215);
  check_large_subset ("epsilon=15 dictionary=16777216 members=4", 16777216, 4, 15, 0);
}

/* Figures of LDP-FEAT: Pr (u = 1) at |K| = 256k and m = 2 is 0.147, 0.56 (0.560) and 0.986 at
 * epsilon 10, 12 and 16, to their digits. The tight event is nearly that. */
Test (mechanisms_discrete, omega_subset_has_the_published_rates)
{
  static const double published[][3]
      = { { 10, 0.147, 0.0005 }, { 12, 0.56, 0.005 }, { 16, 0.986, 0.0005 } };
  g_auto (Case) c = case_of ("omega-subset", "dictionary=256000 members=2", 1);

  for (gsize i = 0; i < G_N_ELEMENTS (published); i++) {
    double first, second;

    c.mechanism->tight_event (c.settings->values, 1, published[i][0], &first, &second);
    assert_near (first, published[i][1], published[i][2], "epsilon %g", published[i][0]);
  }
}

/* ---- Tight events ---- */

typedef gboolean (*Event) (const Case *c, const float *output);

static gboolean
all_ones (const Case *c, const float *output)
{
  for (gsize j = 0; j < c->cols; j++)
    if (output[j] != 1)
      return FALSE;
  return TRUE;
}

static gboolean
is_one_first (const Case *c, const float *output)
{
  (void) c;
  return output[0] == 1;
}

static gboolean
is_one_then_zero (const Case *c, const float *output)
{
  (void) c;
  return output[0] == 1 && output[1] == 0;
}

static gboolean
holds_first_alone (const Case *c, const float *output)
{
  return holds (output, c->n_outputs, 0) && !holds (output, c->n_outputs, 1);
}

/* Probabilities as simulated at the settings' own epsilon; and at any, exp (epsilon) apart. */
Test (mechanisms_discrete, tight_events)
{
  static const struct {
    const char *id, *assignments;
    gsize cols;
    double epsilon;
    Event event;
  } cases[] = {
    { "randomised-response", "epsilon=1", 1, 1, all_ones },
    { "randomised-response", "epsilon=2", 4, 2, all_ones },
    { "randomised-response", "epsilon=2 relation=one-bit", 4, 2, is_one_first },
    { "unary-encoding", "epsilon=1", 1, 1, is_one_then_zero },
    { "unary-encoding", "epsilon=2 encoding=optimised values=2", 1, 2, is_one_then_zero },
    { "omega-subset", "epsilon=1", 1, 1, holds_first_alone },
    { "omega-subset", "epsilon=4", 1, 4, holds_first_alone },
    { "omega-subset", "epsilon=1 dictionary=5 members=4", 1, 1, holds_first_alone },
    { "omega-subset", "epsilon=2 dictionary=2 members=1", 1, 2, holds_first_alone },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of (cases[i].id, cases[i].assignments, cases[i].cols);
    float inputs[2][8];
    double p[2];

    case_pair (&c, 0, inputs[0], inputs[1]);
    c.mechanism->tight_event (c.settings->values, c.cols, cases[i].epsilon, &p[0], &p[1]);
    for (guint side = 0; side < 2; side++) {
      g_autofree float *outputs = case_run (&c, side == 0 ? "first" : "second", inputs[side], N);
      gsize hits = 0;

      for (gsize r = 0; r < N; r++)
        hits += (gsize) cases[i].event (&c, outputs + r * c.n_outputs);
      assert_share (hits, N, p[side], c.name, side == 0 ? "first" : "second");
    }
    for (double epsilon = 0; epsilon <= 24; epsilon += 3) {
      c.mechanism->tight_event (c.settings->values, c.cols, epsilon, &p[0], &p[1]);
      assert_near (log (p[0] / p[1]), epsilon, 1e-12 * (1 + epsilon), "%s built for %g", c.name,
                   epsilon);
    }
  }
}

/* The design's, which is all that the owner of a broken one knows. */
Test (mechanisms_discrete, tight_event_knows_nothing_of_a_defect)
{
  g_auto (Case) sound = case_of ("unary-encoding", "", 1);
  g_auto (Case) broken = case_of ("unary-encoding", "defect=mixed", 1);
  double p[2][2];

  sound.mechanism->tight_event (sound.settings->values, 1, 2, &p[0][0], &p[0][1]);
  broken.mechanism->tight_event (broken.settings->values, 1, 2, &p[1][0], &p[1][1]);
  cr_assert (p[0][0] == p[1][0] && p[0][1] == p[1][1]);
}

/* 0 and 1 first; then two different numbers, over the whole range. */
Test (mechanisms_discrete, neighbours_of_single_values)
{
  static const char *const cases[][2]
      = { { "omega-subset", "dictionary=10 members=2" }, { "unary-encoding", "values=10" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of (cases[i][0], cases[i][1], 1);
    gsize counts[90] = { 0 };
    float pair[2];

    case_pair (&c, 0, &pair[0], &pair[1]);
    cr_assert (pair[0] == 0 && pair[1] == 1, "%s", c.name);
    for (guint index = 1; index <= 9000; index++) {
      case_pair (&c, index, &pair[0], &pair[1]);
      counts[choice_number (pair, 2, 10)]++;
    }
    cr_assert (sample_chi_square (counts, 90) < sample_chi_square_bound (90, ALPHA), "%s", c.name);
  }
}
