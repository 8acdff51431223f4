/* The omega-subset mechanism (Wang et al. 2016, "Mutual Information Optimally Local Private
 * Discrete Distribution Estimation"; Ye and Barg 2018, "Optimal Schemes for Discrete Distribution
 * Estimation Under Locally Differential Privacy"; as LDP-FEAT uses it on descriptors: Pittaluga and
 * Zhuang 2023, section 5).
 *
 * A secret is one number v of a dictionary of K; released is a set Z of m distinct ones:
 *   P[v in Z] = m exp (epsilon) / (m exp (epsilon) + K - m)                (LDP-FEAT, equation 5)
 * and the others of Z are drawn uniformly from those that are not v. So
 *   P[Z | v] = m exp (epsilon) / (m exp (epsilon) + K - m) / C (K - 1, m - 1)   if v in Z,
 *              (K - m) / (m exp (epsilon) + K - m) / C (K - 1, m)               otherwise;
 * their quotient is exp (epsilon) because C (K - 1, m) m = C (K - 1, m - 1) (K - m). Equation 4 of
 * LDP-FEAT has m / K of both: misprinted, as it does not sum to 1.
 * ln P[Z | v1] / P[Z | v2] is epsilon, -epsilon or 0; the event {v1 in Z and v2 not in Z} is tight.
 *
 * A run puts out the m members in a uniformly random order, which says nothing about v. */
#include <math.h>

#include "defenses/coin.h"
#include "defenses/single-value.h"

typedef struct {
  double epsilon;
  gint64 dictionary; /* K */
  gint64 members;    /* m */
} OmegaSubset;

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const OmegaSubset *settings = data;

  return (AssayBudget){ .epsilon = settings->epsilon };
}

static void
size (gconstpointer data, G_GNUC_UNUSED gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const OmegaSubset *settings = data;

  *ret_inputs = 1;
  *ret_outputs = (gsize) settings->members;
}

static void
pair (gconstpointer data, G_GNUC_UNUSED gsize cols, guint index, AssayStream *stream,
      float *ret_first, float *ret_second)
{
  const OmegaSubset *settings = data;

  single_value_pair ((gsize) settings->dictionary, index, stream, ret_first, ret_second);
}

/* P[v in Z] and its complement. */
static void
inclusion (const OmegaSubset *settings, double epsilon, double *ret_in, double *ret_out)
{
  const double k = (double) settings->dictionary, m = (double) settings->members;
  const double weight = m * exp (epsilon);

  *ret_in = weight / (weight + k - m);
  *ret_out = (k - m) / (weight + k - m);
}

/* ---- Drawing a set ---- */

/* @count distinct numbers below @n, in random order, by drawing again what is there already. */
static inline void
draw_by_rejection (AssayStream *stream, guint32 n, gsize count, float *ret_numbers)
{
  for (gsize i = 0; i < count;) {
    const float number = (float) assay_stream_below_u32 (stream, n);
    gboolean is_new = TRUE;

    for (gsize j = 0; j < i; j++)
      is_new &= ret_numbers[j] != number;
    ret_numbers[i] = number;
    i += is_new;
  }
}

/* The same as the first places of a shuffle of @numbers, which hold each number below @n once.
 * Whatever order they come in, the one they are left in serves for the next draw. */
static void
draw_by_shuffle (AssayStream *stream, guint32 *numbers, guint32 n, gsize count, float *ret_numbers)
{
  for (guint32 i = 0; i < count; i++) {
    const guint32 place = i + assay_stream_below_u32 (stream, n - i);
    const guint32 number = numbers[place];

    numbers[place] = numbers[i];
    numbers[i] = number;
    ret_numbers[i] = (float) number;
  }
}

/* 0 .. n - 1 for draw_by_shuffle; NULL where rejection, of about count^2 / 2 steps, costs less than
 * writing them down. */
static guint32 *
numbers_to_shuffle (guint32 n, gsize count)
{
  guint32 *numbers;

  if (count * count / 2 < n)
    return NULL;
  numbers = g_new (guint32, n);
  for (guint32 i = 0; i < n; i++)
    numbers[i] = i;
  return numbers;
}

static void
run (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayStream *stream, const float *input,
     gsize count, float *ret_outputs)
{
  const OmegaSubset *settings = data;
  const gsize m = (gsize) settings->members;
  const guint32 others = (guint32) settings->dictionary - 1;
  const float value = *input;
  g_autofree guint32 *numbers = numbers_to_shuffle (others, m);
  double in, out;
  Coin coin;

  inclusion (settings, settings->epsilon, &in, &out);
  coin = coin_new (in, out);
  for (gsize i = 0; i < count; i++) {
    float *set = ret_outputs + i * m;
    const gboolean is_in = coin_is_heads (&coin, assay_stream_u32 (stream), stream);
    const gsize n_drawn = is_in ? m - 1 : m;

    if (numbers != NULL)
      draw_by_shuffle (stream, numbers, others, n_drawn, set);
    else
      draw_by_rejection (stream, others, n_drawn, set);
    /* The others are numbered without the secret. */
    for (gsize j = 0; j < n_drawn; j++)
      set[j] += set[j] >= value ? 1 : 0;
    if (is_in) {
      const gsize place = assay_stream_below_u32 (stream, (guint32) m);

      set[m - 1] = set[place];
      set[place] = value;
    }
  }
}

/* ---- The ratio ---- */

static void
log_ratio (gconstpointer data, G_GNUC_UNUSED gsize cols, const float *first, const float *second,
           const float *outputs, gsize count, double *ret_scores)
{
  const OmegaSubset *settings = data;
  const gsize m = (gsize) settings->members;

  for (gsize i = 0; i < count; i++) {
    gint balance = 0;

    for (gsize j = 0; j < m; j++)
      balance += (outputs[i * m + j] == *first) - (outputs[i * m + j] == *second);
    ret_scores[i] = settings->epsilon * balance;
  }
}

/* P[v1 in Z and v2 not in Z]: of the K - 1 others, v2 is not among the m - 1 (m) that are drawn. */
static void
tight_event (gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon, double *ret_first,
             double *ret_second)
{
  const OmegaSubset *settings = data;
  const double k = (double) settings->dictionary, m = (double) settings->members;
  double in, out;

  inclusion (settings, epsilon, &in, &out);
  *ret_first = in * (k - m) / (k - 1);
  *ret_second = out * m / (k - 1);
}

static const AssayMechanism mechanism = {
  .neighbours = "any two numbers of the dictionary",
  .budget = budget,
  .size = size,
  .n_proposed = 1,
  .pair = pair,
  .run = run,
  .log_ratio = log_ratio,
  .tight_event = tight_event,
};

/* ---- The defense ---- */

static AssayMatrix *
make_dictionary (const OmegaSubset *settings, GError **error)
{
  AssayMatrix *dictionary = assay_matrix_new ((gsize) settings->dictionary, 1, error);

  for (gsize i = 0; dictionary != NULL && i < dictionary->rows; i++)
    dictionary->data[i] = (float) i;
  return dictionary;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const OmegaSubset *settings = context->settings;
  const gsize m = (gsize) settings->members;
  g_autofree float *set = g_new (float, m);
  g_autofree gint64 *sets = NULL;
  AssayMatrix *dictionary;

  if (!single_value_check (secrets, (gsize) settings->dictionary, error))
    return FALSE;
  sets = assay_alloc (secrets.rows, m * sizeof (gint64), "sets", error);
  if (sets == NULL)
    return FALSE;
  dictionary = make_dictionary (settings, error);
  if (dictionary == NULL)
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++) {
    AssayStream stream = assay_stream (context->stream, i);

    run (settings, 1, &stream, assay_view_row (secrets, i), 1, set);
    for (gsize j = 0; j < m; j++)
      sets[i * m + j] = (gint64) set[j];
  }
  assay_arrays_take (&ret_release->arrays, "sets",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ secrets.rows, m },
                                       g_steal_pointer (&sets)));
  assay_arrays_take (&ret_release->arrays, "dictionary", assay_array_take_matrix (dictionary));
  return TRUE;
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const OmegaSubset *settings = data;

  if (settings->members >= settings->dictionary)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "members = %" G_GINT64_FORMAT
                       ": expected less than dictionary = %" G_GINT64_FORMAT,
                       settings->members, settings->dictionary);
  return TRUE;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const OmegaSubset *settings = data;

  return (guint64) shape->n_secrets * (guint64) settings->members * sizeof (gint64)
         + (guint64) settings->dictionary * (sizeof (float) + sizeof (guint32));
}

static const AssayParam parameters[]
    = { ASSAY_PARAM_REAL (OmegaSubset, epsilon, 1, 0, 60, "nats",
                          "Privacy budget between any two numbers"),
        ASSAY_PARAM_INT (OmegaSubset, dictionary, 200, 2, 16777216, "",
                         "How many numbers K there are: secrets are 0 to K - 1"),
        ASSAY_PARAM_INT (OmegaSubset, members, 8, 1, 4096, "",
                         "How many numbers m a released set has; less than the dictionary"),
        ASSAY_PARAM_END };

const AssayDefense assay_defense_omega_subset = {
  .id = "omega-subset",
  .summary = "Replace a number by a random set that holds it with a probability set by epsilon",
  .reference = { "Ye and Barg 2018, Optimal Schemes for Discrete Distribution Estimation Under "
                 "Locally Differential Privacy; Pittaluga and Zhuang 2023, LDP-FEAT",
                 "section III; section 5, equation 5" },
  .parameters = parameters,
  .settings_size = sizeof (OmegaSubset),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_VECTOR_SETS,
  .claim = "epsilon-local differential privacy of each secret, between any two numbers of the "
           "dictionary",
  .mechanism = &mechanism,
  .protect = protect,
};
