/* RA12 as a protocol of users: in each step every user takes a gradient step of a linear support
 * vector machine on all of its n rows, with noise, and the mean of what they made is the next
 * model,
 *   w^(n) = w_t - gamma (gradient + lambda w_t + (b^(n) + xi_t^(n)) / n),
 * with a Gaussian b^(n) that is drawn once and Laplace noise xi in each step, for each class.
 * Messages are in clear: it is the noise that is to hide what is in them. w_0 is zero.
 *
 * Rows are shortened to length 1; public rows are in the part of every user, as Yonetani et al.
 * have it (see prr10-updates.c). What the noise pays for is audited on the mechanism `ra12`:
 * epsilon and delta are those of one step and one class.
 *
 * Source: Rajkumar and Agarwal 2012, "A Differentially Private Stochastic Gradient Descent
 * Algorithm for Multiparty Classification"; as a baseline of Yonetani, Boddeti, Kitani and Sato
 * 2017, "Privacy-Preserving Visual Learning Using Doubly Permuted Homomorphic Encryption", section
 * 3.1. */
#include "core/data/grant.h"
#include "defenses/mechanisms/party-noise.h"
#include "defenses/updates/federation.h"

/* Of the release's stream (see federation.c for others). */
#define ITEM_STEPS (G_GUINT64_CONSTANT (7) << 60)
#define ITEM_ONCE (G_GUINT64_CONSTANT (9) << 60)

#define NO_NOISE (RA12_OBJECTIVE + 1)

static const char *const noises[] = { "both", "gradient", "objective", "none", NULL };

typedef struct {
  union {
    FederationSettings federation;
    struct {
      FEDERATION_FIELDS;
    };
  };
  double epsilon;
  double delta;
  guint noise; /* Ra12Noise, or NO_NOISE */
  bool public_rows;
} Ra12Updates;

typedef struct {
  Ra12Scales scales;
  AssayStreamKey stream;
} Noising;

/* What the paper fixes. */
static Ra12Updates
complete (const Ra12Updates *settings)
{
  Ra12Updates full = *settings;

  full.local_steps = 1;
  full.trainer = ASSAY_TRAINER_STEP;
  full.batch = 0;
  full.loss = ASSAY_LOSS_HINGE;
  full.start = START_ZERO;
  return full;
}

/* The `send` of a FederationProtocol whose data is a Noising. The noise that is drawn once is drawn
 * from the same stream in each step. */
static void
add_noise (const Federation *federation, gsize step, gsize user, gpointer data,
           float *inout_update)
{
  const Noising *noising = data;
  const gsize weights = federation->models->cols;
  const double factor = federation->training.rate / (double) federation->counts[user];
  g_autofree double *once = g_new (double, 2 * weights);
  double *noise = once + weights;
  AssayStream of_user = assay_stream (noising->stream, ITEM_ONCE + user);
  AssayStream of_step
      = assay_stream (noising->stream, ITEM_STEPS + step * federation->n_users + user);

  ra12_draw_once (&noising->scales, &of_user, weights, once);
  ra12_draw_step (&noising->scales, &of_step, weights, noise);
  for (gsize i = 0; i < weights; i++)
    inout_update[i] = (float) ((double) inout_update[i] - factor * (once[i] + noise[i]));
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Ra12Updates full = complete (context->settings);
  const gboolean is_noisy = full.noise != NO_NOISE;
  Noising noising = { .stream = context->stream };
  const FederationProtocol protocol = { .send = add_noise,
                                        .data = &noising,
                                        .shares_public = full.public_rows,
                                        .shortens = TRUE };
  g_auto (Federation) federation = { 0 };

  if (is_noisy)
    noising.scales = ra12_scales (full.epsilon, full.delta, (Ra12Noise) full.noise);
  if (!federation_train (context, &full.federation, secrets, &protocol, &federation, error))
    return FALSE;
  federation_take (&federation, &full.federation, ret_release, ret_truth);
  assay_arrays_take_matrix (&ret_release->arrays, "locals", &federation.sent);
  if (is_noisy)
    ASSAY_SET_PARAMETER (ret_release, AssayUpdatesParameters, epsilon, full.epsilon);
  return TRUE;
}

FEDERATION_COMPLETED (Ra12Updates)

/* Nothing is encrypted, permuted or masked. */
FEDERATION_LACKS ("slots", "ciphertexts", "masked", "permutations", "own-permutations")

ASSAY_DEFENSE (ra12_updates, "ra12-updates",
  .summary = "Users take gradient steps together and send them with noise",
  .reference = { "Rajkumar and Agarwal 2012, A Differentially Private Stochastic Gradient Descent "
                 "Algorithm for Multiparty Classification",
                 "Gaussian noise once, Laplace noise in each step" },
  ASSAY_SETTINGS (Ra12Updates,
    FEDERATION_USERS (Ra12Updates),
    ASSAY_PARAM_INT (Ra12Updates, steps, 10, 1, 100000, "", "How many models are made (T)"),
    ASSAY_PARAM_REAL (Ra12Updates, rate, 10, 1e-12, 1e6, "", "Learning rate gamma"),
    ASSAY_PARAM_REAL (Ra12Updates, penalty, 1e-3, 0, 1e3, "", "Weight lambda of the penalty"),
    ASSAY_PARAM_REAL (Ra12Updates, epsilon, 0.2, 1e-6, 60, "nats",
                      "Privacy budget that is claimed for each step and class"),
    ASSAY_PARAM_REAL (Ra12Updates, delta, 0.05, 1e-12, 0.999, "", "delta that goes with epsilon"),
    ASSAY_PARAM_CHOICE (Ra12Updates, noise, RA12_BOTH, noises,
                        "Gaussian noise on the objective and Laplace noise on each step, one of "
                        "them, or none (a control)"),
    ASSAY_PARAM_BOOL (Ra12Updates, public_rows, TRUE,
                      "Whether the part of each user holds the public rows, too"),
    FEDERATION_STANDARDISE (Ra12Updates)),
  .check = check,
  .uses = uses,
  .lacks = lacks,
  .release_shape = federation_shape,
  .produces = ASSAY_RELEASE_UPDATES,
  .protect = protect);
