/* PRR10 as a protocol of users: each trains logistic regression with an L2 penalty to the optimum,
 * on its own rows, and what is released is the mean of their models with noise, whose scale the
 * user with the fewest rows sets,
 *   w_1 = 1/N sum_n w^(n) + eta,   eta of scale 2 / (n_min epsilon lambda),
 * a vector of noise for each class. It is drawn and encrypted by that user before anything is added
 * up, so that nobody sees messages, or a sum without noise. w_0 is zero: nothing goes on from it.
 *
 * Rows are shortened to length 1, of which the sensitivity speaks. In the experiments of Yonetani
 * et al. the public rows are in the part of every user (public_rows = yes): noise is smaller as
 * users have more rows, while one public row replaced would move all models. The claim is about
 * users' own. What noise of either shape pays for is audited on the mechanism `prr10`; one class's
 * epsilon is the setting, and all of them add up.
 *
 * Source: Pathak, Rane and Raj 2010, "Multiparty Differential Privacy via Aggregation of Locally
 * Trained Classifiers"; as a baseline of Yonetani, Boddeti, Kitani and Sato 2017,
 * "Privacy-Preserving Visual Learning Using Doubly Permuted Homomorphic Encryption", section 3.1.
 */
#include "core/data/grant.h"
#include "defenses/mechanisms/party-noise.h"
#include "defenses/updates/federation.h"

/* Of the release's stream (see federation.c for others). */
#define ITEM_NOISE (G_GUINT64_CONSTANT (7) << 60)

typedef enum { NOISE_COORDINATES, NOISE_SPHERICAL, NOISE_NONE } Noise;

static const char *const noises[] = { "coordinates", "spherical", "none", NULL };

typedef struct {
  union {
    FederationSettings federation;
    struct {
      FEDERATION_FIELDS;
    };
  };
  double epsilon;
  guint noise;
  bool public_rows;
} Prr10Updates;

typedef struct {
  const Prr10Updates *settings;
  AssayStreamKey stream;
} Noising;

/* What the paper fixes. */
static Prr10Updates
complete (const Prr10Updates *settings)
{
  Prr10Updates full = *settings;

  full.steps = full.local_steps = 1;
  full.trainer = ASSAY_TRAINER_OPTIMUM;
  full.loss = ASSAY_LOSS_LOGISTIC;
  full.rate = 1; /* of no gradient */
  full.start = START_ZERO;
  return full;
}

/* The `sum` of a FederationProtocol whose data is a Noising. */
static gboolean
add_noise (const Federation *federation, gsize step, AssayView sent, gpointer data, float *ret_sum,
           G_GNUC_UNUSED GError **error)
{
  const Noising *noising = data;
  const Prr10Updates *settings = noising->settings;
  const gsize width = assay_linear_width (&federation->training), users = federation->n_users;
  g_autofree double *noise = g_new0 (double, width);
  AssayStream stream = assay_stream (noising->stream, ITEM_NOISE + step);
  gsize least = federation->counts[0];

  for (gsize u = 1; u < users; u++)
    least = MIN (least, federation->counts[u]);
  for (gsize k = 0; k < federation->training.classes; k++) {
    if (settings->noise != NOISE_NONE)
      prr10_draw (settings->noise == NOISE_SPHERICAL ? PRR10_SPHERICAL : PRR10_COORDINATES,
                  prr10_scale (least, settings->epsilon, settings->penalty), &stream, width, noise);
    for (gsize j = 0; j < width; j++) {
      double sum = (double) users * noise[j];

      for (gsize u = 0; u < users; u++)
        sum += (double) assay_view_row (sent, u)[k * width + j];
      ret_sum[k * width + j] = (float) sum;
    }
  }
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Prr10Updates full = complete (context->settings);
  Noising noising = { &full, context->stream };
  const FederationProtocol protocol = { .sum = add_noise,
                                        .data = &noising,
                                        .shares_public = full.public_rows,
                                        .shortens = TRUE };
  g_auto (Federation) federation = { 0 };

  if (!federation_train (context, &full.federation, secrets, &protocol, &federation, error))
    return FALSE;
  federation_take (&federation, &full.federation, ret_release, ret_truth);
  if (full.noise != NOISE_NONE)
    ASSAY_SET_PARAMETER (ret_release, AssayUpdatesParameters, epsilon, full.epsilon);
  return TRUE;
}

FEDERATION_COMPLETED (Prr10Updates)

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  const Prr10Updates full = complete (data);

  federation_shape (&full, inout_shape);
}

/* Nobody sees what a user sends, and nothing is sparse. */
FEDERATION_LACKS ("locals", "slots", "ciphertexts", "masked", "permutations", "own-permutations")

static const char *
no_gradients (G_GNUC_UNUSED gconstpointer settings)
{
  return "train to the optimum";
}

ASSAY_DEFENSE (prr10_updates, "prr10-updates",
  .summary = "Users train by themselves; the mean of their models is released with noise",
  .reference = { "Pathak, Rane and Raj 2010, Multiparty Differential Privacy via Aggregation of "
                 "Locally Trained Classifiers",
                 "noise of scale 2 / (n epsilon lambda)" },
  ASSAY_SETTINGS (Prr10Updates,
    FEDERATION_USERS (Prr10Updates),
    ASSAY_PARAM_REAL (Prr10Updates, penalty, 0.1, 1e-6, 1e3, "",
                      "Weight lambda of the penalty; the larger it is, the less noise is needed"),
    ASSAY_PARAM_REAL (Prr10Updates, epsilon, 0.2, 1e-6, 60, "nats",
                      "Privacy budget that is claimed for each class"),
    ASSAY_PARAM_CHOICE (Prr10Updates, noise, NOISE_COORDINATES, noises,
                        "Laplace noise on each weight, noise in a random direction, or none (a "
                        "control)"),
    ASSAY_PARAM_BOOL (Prr10Updates, public_rows, TRUE,
                      "Whether the part of each user holds the public rows, too"),
    FEDERATION_STANDARDISE (Prr10Updates)),
  .check = check,
  .uses = uses,
  .lacks = lacks,
  .no_gradients = no_gradients,
  .release_shape = release_shape,
  .produces = ASSAY_RELEASE_UPDATES,
  .protect = protect);
