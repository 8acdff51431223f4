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
#include "core/data/kinds/vector-sets.h"
#include "defenses/mechanisms/row-mechanism.h"
#include "defenses/mechanisms/single-value.h"
#include "defenses/mechanisms/subset-sampler.h"

typedef struct {
  double epsilon;
  gint64 dictionary; /* K */
  gint64 members;    /* m */
} OmegaSubset;

static void
size (gconstpointer data, G_GNUC_UNUSED gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const OmegaSubset *settings = data;

  *ret_inputs = 1;
  *ret_outputs = (gsize) settings->members;
}

static SubsetSampler
sampler_of (const OmegaSubset *settings)
{
  return (SubsetSampler){ .epsilon = settings->epsilon,
                          .dictionary = (gsize) settings->dictionary,
                          .members = (gsize) settings->members };
}

static void
run (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayStream *stream, const float *input,
     gsize count, float *ret_outputs)
{
  const SubsetSampler sampler = sampler_of (data);

  subset_sample (&sampler, stream, *input, count, ret_outputs);
}

/* ---- The ratio ---- */

static void
log_ratio (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  const OmegaSubset *settings = data;
  const gsize m = (gsize) settings->members;

  for (gsize i = 0; i < count; i++) {
    gint balance = 0;

    for (gsize j = 0; j < m; j++)
      balance += (outputs[i * m + j] == *pair.first) - (outputs[i * m + j] == *pair.second);
    ret_scores[i] = settings->epsilon * balance;
  }
}

/* P[v1 in Z and v2 not in Z]: of the K - 1 others, v2 is not among the m - 1 (m) that are drawn. */
static void
tight_event (gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon, double *ret_first,
             double *ret_second)
{
  SubsetSampler sampler = sampler_of (data);
  const double k = (double) sampler.dictionary, m = (double) sampler.members;
  double in, out;

  sampler.epsilon = epsilon;
  subset_inclusion (&sampler, &in, &out);
  *ret_first = in * (k - m) / (k - 1);
  *ret_second = out * m / (k - 1);
}

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

  if (!single_value_check_secrets (settings, secrets, error))
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
  ASSAY_SET_PARAMETER (ret_release, AssayVectorSetsParameters, epsilon, settings->epsilon);
  return TRUE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const OmegaSubset *settings = data;

  if (settings->members >= settings->dictionary)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "members = %" G_GINT64_FORMAT
                       ": expected less than dictionary = %" G_GINT64_FORMAT,
                       settings->members, settings->dictionary);
  return single_value_check (settings, shape, error);
}

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  inout_shape->n_members = (gsize) ((const OmegaSubset *) data)->members;
}

ASSAY_DEFENSE (omega_subset, "omega-subset",
  .summary = "Replace a number by a random set that holds it with a probability set by epsilon",
  .reference = { "Ye and Barg 2018, Optimal Schemes for Discrete Distribution Estimation Under "
                 "Locally Differential Privacy; Pittaluga and Zhuang 2023, LDP-FEAT",
                 "section III; section 5, equation 5" },
  ASSAY_SETTINGS (OmegaSubset,
    ASSAY_PARAM_REAL (OmegaSubset, epsilon, 1, 0, 60, "nats",
                      "Privacy budget between any two numbers"),
    ASSAY_PARAM_INT (OmegaSubset, dictionary, 200, 2, 16777216, "",
                     "How many numbers K there are: secrets are 0 to K - 1"),
    ASSAY_PARAM_INT (OmegaSubset, members, 8, 1, 4096, "",
                     "How many numbers m a released set has; fewer than the dictionary")),
  .check = check,
  .produces = ASSAY_RELEASE_VECTOR_SETS,
  .release_shape = release_shape,
  .claim = "epsilon-local differential privacy of each secret, between any two numbers of the "
           "dictionary",
  ASSAY_MECHANISM (
    .neighbours = "any two numbers of the dictionary",
    .budget = row_mechanism_budget,
    .size = size,
    .n_proposed = 1,
    .pair = single_value_pair,
    .domain = single_value_domain,
    .run = run,
    .log_ratio = log_ratio,
    .tight_event = tight_event),
  .protect = protect);
