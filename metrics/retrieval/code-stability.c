/* How far randomising codes moved them (lemmas 5 and 7 of the paper on private hashing, which bound
 * ||U' - U||_F of codes U of -1 and 1, and ||d' - d||_1 of a query's Hamming distances d).
 *
 * The truth has the codes as they were before, U. A bit that was turned moves its entry by 2, so
 * that ||U' - U||_F^2 is four times the number of turned bits: bits-kept is what lemma 5 is about,
 * per bit. Of a secret, distance-moved is the mean of |d' - d| over the queries, which are the
 * dataset's rows of the role test, hashed and not randomised; ||d' - d||_1 of a query is n times
 * that. Where each of c bits is turned with probability beta,
 *   E bits-kept = 1 - beta
 *   E |d' - d|  = E |A - B|,  A ~ binomial (c - d, beta),  B ~ binomial (d, beta)
 * which is at most c beta: bits in which code and query agree add one, others take one away. */
#include <stdlib.h>

#include "core/data/codes.h"
#include "metrics/retrieval/retrieval.h"

enum { KEPT, MOVED, N_SERIES };

static AssayCodes *
codes_before (const AssayReceived *received, GError **error)
{
  const AssayArray *before = assay_arrays_get (&received->truth->arrays, "codes");
  const AssayArray *released = assay_arrays_get (&received->release->arrays, "codes");

  if (before == NULL || before->n_dimensions != 2 || before->shape[0] != released->shape[0]
      || before->shape[1] != released->shape[1])
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "expected the codes before they were randomised, as many bits as were "
                            "released of each, found %s",
                            before == NULL ? "none" : "others");
  return assay_codes_new (before, received->release->bits, error);
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (Retrieval) retrieval = { 0 };
  g_autoptr (AssayCodes) before = NULL;
  g_autofree guint16 *now = NULL;
  g_autofree guint16 *then = NULL;
  gsize n, queries;

  if (!retrieval_init (context, received, &retrieval, error))
    return FALSE;
  before = codes_before (received, error);
  n = retrieval.database->count;
  queries = retrieval.queries->count;
  if (before == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error))
    return FALSE;
  now = g_new (guint16, n);
  then = g_new (guint16, n);
  for (gsize q = 0; q < queries; q++) {
    const guint64 *query = retrieval.queries->data + q * retrieval.queries->words;

    assay_codes_distances (retrieval.database, query, 0, n, now);
    assay_codes_distances (before, query, 0, n, then);
    for (gsize i = 0; i < n; i++)
      ret_outcomes->series[MOVED][i] += abs ((int) now[i] - (int) then[i]);
  }
  for (gsize i = 0; i < n; i++) {
    guint16 turned;

    assay_codes_distances (before, retrieval.database->data + i * before->words, i, 1, &turned);
    ret_outcomes->series[KEPT][i] = 1 - (double) turned / (double) before->bits;
    ret_outcomes->series[MOVED][i] /= (double) queries;
  }
  return TRUE;
}

ASSAY_UTILITY (code_stability, "code-stability",
  .summary = "How many bits of codes stay as they were, and how far distances move",
  .reference = { "PHashing and PITQ (private hashing)", "lemmas 5 and 7" },
  .reads = ASSAY_RELEASE_CODES,
  .holds = { .items = 2 },
  .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (KEPT, "bits-kept", MEAN, 0, 1, "share of bits",
                   "Bits released as they were before they were randomised", ASSAY_HEADLINE),
    ASSAY_MEASURE (MOVED, "distance-moved", MEAN, 0, ASSAY_CODE_MAX_BITS, "bits",
                   "Absolute difference of the Hamming distances to a test row before and after",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE)),
  .assess = assess);
