/* Secure aggregation by pairwise masks, which is what federated learning uses today: every two
 * users share a mask that one of them adds and the other subtracts, so that a message alone is
 * uniform noise and the sum of all of them is the sum of the updates, which everybody learns.
 *
 * Weights are fixed-point numbers with 40 bits after the point, in the integers modulo 2^64:
 *   y_u = x_u + sum_(v > u) m_uv - sum_(v < u) m_uv  (mod 2^64).
 * The sum is decoded as a number from -2^63 to 2^63 - 1. Users are honest and stay: of Bonawitz et
 * al. this is the round in which nobody drops out, without their second masks and shares, which add
 * nothing to what is seen then. Masks are drawn from the run's seed in place of agreed keys.
 *
 * What parties see, as grants: everyone the models; the aggregator `aggregator; messages`, that is
 * sums and masked messages.
 *
 * Source: Bonawitz, Ivanov, Kreuter, Marcedone, McMahan, Patel, Ramage, Segal and Seth 2017,
 * "Practical Secure Aggregation for Privacy-Preserving Machine Learning", section 4. */
#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "defenses/updates/federation.h"

#define FRACTION 40 /* bits */
#define BLOCK 1024  /* weights whose masks are in memory at once, for each pair */
/* Items of the release's stream that are no secrets' (see federation.c for others). */
#define ITEM_MASKS (G_GUINT64_CONSTANT (5) << 60)

typedef struct {
  union {
    FederationSettings federation;
    struct {
      FEDERATION_FIELDS;
    };
  };
  bool allow_two;
  bool cheats;
} SecureSum;

typedef struct {
  AssayStreamKey stream;
  gboolean cheats; /* the aggregator adds one message up */
  gsize steps;
  gsize users; /* N and P, known from the first step on */
  gsize weights;
  gint64 *masked; /* T N x P: what users send */
} MaskedSums;

static gboolean
check_range (AssayView sent, GError **error)
{
  const double limit = ldexp (1, 63 - FRACTION) / (double) sent.rows;

  for (gsize u = 0; u < sent.rows; u++) {
    const float *row = assay_view_row (sent, u);
    gsize largest = 0;

    for (gsize i = 0; i < sent.cols; i++) {
      if (!isfinite (row[i]))
        return assay_fail (error, ASSAY_ERROR_NUMERIC,
                           "user %zu: weight %zu is %g; expected a finite number", u, i,
                           (double) row[i]);
      if (fabsf (row[i]) > fabsf (row[largest]))
        largest = i;
    }
    if (sent.cols > 0 && fabs ((double) row[largest]) >= limit)
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "user %zu: weight %zu is %g, the largest; expected weights below %g, so "
                         "that the sum of %zu fits into 64 bits with %d after the point",
                         u, largest, (double) row[largest], limit, sent.rows, FRACTION);
  }
  return TRUE;
}

typedef struct {
  const MaskedSums *sums;
  gsize step;
  AssayView sent;
} Masking;

/* Adds the mask that the user shares with @other, or subtracts it. */
static void
add_mask (const Masking *masking, gsize user, gsize other, guint64 *inout_message)
{
  const MaskedSums *sums = masking->sums;
  const gsize n = sums->users, low = MIN (user, other), high = MAX (user, other);
  AssayStream stream
      = assay_stream (sums->stream, ITEM_MASKS + (masking->step * n + low) * n + high);
  guint32 words[2 * BLOCK];

  for (gsize first = 0; first < sums->weights; first += BLOCK) {
    const gsize count = MIN ((gsize) BLOCK, sums->weights - first);

    assay_stream_fill_u32 (&stream, 2 * count, words);
    for (gsize i = 0; i < count; i++) {
      const guint64 mask = (guint64) words[2 * i] << 32 | words[2 * i + 1];

      inout_message[first + i] += user < other ? mask : -mask;
    }
  }
}

static void
send_update (gsize user, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Masking *masking = data;
  const MaskedSums *sums = masking->sums;
  const float *update = assay_view_row (masking->sent, user);
  guint64 *message
      = (guint64 *) (gpointer) sums->masked + (masking->step * sums->users + user) * sums->weights;

  for (gsize i = 0; i < sums->weights; i++)
    message[i] = (guint64) llrint (ldexp ((double) update[i], FRACTION));
  for (gsize other = 0; other < sums->users; other++)
    if (other != user)
      add_mask (masking, user, other, message);
}

/* The `sum` of a FederationProtocol whose data is a MaskedSums. */
static gboolean
add_masked (const Federation *federation, gsize step, AssayView sent, gpointer data, float *ret_sum,
            GError **error)
{
  MaskedSums *sums = data;
  const Masking masking = { sums, step, sent };

  if (sums->masked == NULL) {
    sums->users = sent.rows;
    sums->weights = sent.cols;
    sums->masked = assay_alloc (federation->n_steps * sent.rows, sent.cols * sizeof (gint64),
                                "masked messages", error);
  }
  if (sums->masked == NULL || !check_range (sent, error))
    return FALSE;
  assay_parallel_for (sums->users, send_update, (gpointer) &masking);
  for (gsize i = 0; i < sums->weights; i++) {
    guint64 total = 0;

    for (gsize u = 0; u < sums->users; u++)
      if (federation_adds_up (sums->cheats, step, u, sums->users))
        total += (guint64) sums->masked[(step * sums->users + u) * sums->weights + i];
    ret_sum[i] = (float) ldexp ((double) (gint64) total, -FRACTION);
  }
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const SecureSum *settings = context->settings;
  MaskedSums sums = { .stream = context->stream,
                      .cheats = settings->cheats,
                      .steps = (gsize) settings->steps };
  const FederationProtocol aggregator = { .sum = add_masked, .data = &sums };
  g_auto (Federation) federation = { 0 };

  if (!federation_train (context, &settings->federation, secrets, &aggregator, &federation,
                         error)) {
    g_free (sums.masked);
    return FALSE;
  }
  federation_take (&federation, &settings->federation, ret_release, ret_truth);
  assay_arrays_take_rows (&ret_release->arrays, "masked", ASSAY_INT64, sums.steps * sums.users,
                          sums.weights, sums.masked);
  return TRUE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const SecureSum *settings = data;

  return federation_check_users (settings->users, settings->allow_two, error)
         && federation_check (data, shape, error);
}

FEDERATION_LACKS ("locals", "slots", "ciphertexts", "permutations", "own-permutations")

UPDATES_DEFENSE (
    secure_sum, "secure-sum",
    .summary = "Users train together; masks that cancel out hide all of the updates but their sum",
    .reference = { "Bonawitz et al. 2017, Practical Secure Aggregation for Privacy-Preserving "
                   "Machine Learning",
                   "section 4" },
    ASSAY_SETTINGS (SecureSum,
      FEDERATION_PARAMETERS (SecureSum),
      ASSAY_PARAM_BOOL (SecureSum, allow_two, FALSE,
                        "Whether there may be two users alone, who then learn each other's "
                        "updates from the sum"),
      FEDERATION_CHEATS (SecureSum)), .check = check, .lacks = lacks, .protect = protect);
