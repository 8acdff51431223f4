/* Signs of masked mixtures by a network that saw many (InstaHide, Huang, Song, Li and Arora 2020,
 * section 5.3, "Demask using GAN", and figure 6).
 *
 * Release: x~ = sigma o z, N pictures, z = sum_j l_j x_j of k images. Knowledge: public images, and
 * how images are mixed, so that the attacker makes as many z as they like: k public images each,
 * drawn anew in every epoch. A U-Net (Ronneberger et al. 2015) is given |z| and learns for each
 * number how likely it is above 0; a twentieth as many of their own are held out, and the weights
 * of the epoch that was best there are kept. The paper has a GAN that colours pictures, and reports
 * that a quarter of the signs stay wrong.
 *
 * Guess: |x~| (2 p - 1) for each x~, in their order: the expected z, whose signs are the likelier
 * ones. Metric: sign-recovery. With `then` public images are ranked by what the demasked z show of
 * them (game link), as the paper does: by their inner product, or by that of squares (braverman.c),
 * of which those of pixels whose sign is not known count less than |x~|^2 does. */
#include <math.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/math/mixture.h"
#include "core/network/train.h"
#include "core/network/u-net.h"

#define BATCH 16
#define LEAST_SIDE 8 /* to which pictures are halved, not more often than MOST_LEVELS */
#define MOST_LEVELS 2
#define HELD_SHARE 20
#define DECAY 1e-4
#define USUAL_K 4
#define USUAL_MOST 0.65
/* Items of mixtures are above those of weights and orders. */
#define FIRST_MIXTURE ((guint64) 1 << 40)
#define FIRST_HELD ((guint64) 1 << 62)

enum { NOTHING, INNER_PRODUCT, BRAVERMAN };
static const char *const attacks[] = { "nothing", "inner-product", "braverman", NULL };

typedef struct {
  gint64 encodings;
  gint64 epochs;
  gint64 width;
  double rate;
  guint then;
  MIXTURE_SETTINGS;
  gint64 keep;
} Demasking;

/* ---- Examples ---- */

typedef struct {
  const AssayMatrix *images; /* public */
  AssayMixtureCoefficients coefficients;
  AssayStreamKey key;
  AssayGeometry geometry;
  gsize encodings;
} Mixer;

/* From pixels of channels to planes, and back. */
static gsize
plane_place (const AssayGeometry *geometry, gsize place)
{
  const gsize pixels = geometry->height * geometry->width;

  return place % geometry->channels * pixels + place / geometry->channels;
}

/* |z| and where z is above 0, in planes. */
static void
draw (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target)
{
  const Mixer *mixer = data;
  const AssayMatrix *images = mixer->images;
  const gsize k = mixer->coefficients.k, cols = images->cols;
  const guint64 item = epoch == ASSAY_EPOCH_NONE
                           ? FIRST_HELD + index
                           : FIRST_MIXTURE + (guint64) epoch * mixer->encodings + index;
  AssayStream stream = assay_stream (mixer->key, item);
  const float *chosen[ASSAY_MIXTURE_MAX_IMAGES];
  float coefficients[ASSAY_MIXTURE_MAX_IMAGES];
  gsize rows[ASSAY_MIXTURE_MAX_IMAGES];

  assay_stream_choose (&stream, images->rows, k, rows);
  for (gsize j = 0; j < k; j++)
    chosen[j] = images->data + rows[j] * cols;
  assay_mixture_coefficients_draw (&mixer->coefficients, &stream, coefficients);
  for (gsize a = 0; a < cols; a++) {
    const gsize place = plane_place (&mixer->geometry, a);
    double z = 0;

    for (gsize j = 0; j < k; j++)
      z += (double) coefficients[j] * (double) chosen[j][a];
    ret_input[place] = (float) fabs (z);
    if (ret_target != NULL)
      ret_target[place] = z > 0;
  }
}

typedef struct {
  AssayView mixtures;
  const AssayGeometry *geometry;
} Masked;

static void
draw_masked (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input,
             G_GNUC_UNUSED float *ret_target)
{
  const Masked *masked = data;
  const float *mixture = assay_view_row (masked->mixtures, index);

  for (gsize a = 0; a < masked->mixtures.cols; a++)
    ret_input[plane_place (masked->geometry, a)] = fabsf (mixture[a]);
}

/* ---- The network ---- */

static AssayTape *
make_tape (const Demasking *settings, const AssayGeometry *geometry, guint *ret_last)
{
  const AssayTapeShape shape = { geometry->channels, geometry->height, geometry->width };
  AssayUNet u_net = { (gsize) settings->width, 0 };
  AssayTape *tape = assay_tape_new (shape);
  gsize side = MIN (geometry->height, geometry->width);

  while (u_net.levels < MOST_LEVELS && side >> (u_net.levels + 1) >= LEAST_SIDE
         && geometry->height % (2u << u_net.levels) == 0
         && geometry->width % (2u << u_net.levels) == 0)
    u_net.levels++;
  *ret_last = assay_tape_convolve (tape, assay_tape_u_net (tape, ASSAY_TAPE_INPUT, &u_net),
                                   geometry->channels, 1, 1);
  return tape;
}

/* The share of signs of held-out mixtures of its own that it has right. */
static gboolean
try_held_out (const AssayTape *tape, const AssayTapeExamples *held, gsize cols, double *ret_share,
              GError **error)
{
  g_autofree float *likely = assay_alloc (held->n, cols * sizeof (float), "signs", error);
  g_autofree float *row = assay_alloc (2 * cols, sizeof (float), "signs", error);
  gsize right = 0;

  if (likely == NULL || row == NULL || !assay_tape_predict (tape, held, likely, error))
    return FALSE;
  for (gsize i = 0; i < held->n; i++) {
    held->draw (held->data, i, ASSAY_EPOCH_NONE, row, row + cols);
    for (gsize a = 0; a < cols; a++)
      right += (likely[i * cols + a] > 0.5f) == (row[cols + a] > 0.5f);
  }
  *ret_share = (double) right / (double) (held->n * cols);
  return TRUE;
}

static AssayTape *
train (const Demasking *settings, Mixer *mixer, AssayGuess *guess, GError **error)
{
  const gsize n_held = MAX (mixer->encodings / HELD_SHARE, BATCH);
  const AssayTapeExamples examples = { mixer->encodings, draw, mixer };
  const AssayTapeExamples held = { n_held, draw, mixer };
  const AssayTapeTraining how = { .descent = ASSAY_DESCENT_ADAM,
                                  .epochs = (gsize) settings->epochs,
                                  .batch = BATCH,
                                  .rate = settings->rate,
                                  .momentum = 0.9,
                                  .decay = DECAY,
                                  .held_out = &held };
  guint last;
  g_autoptr (AssayTape) tape = make_tape (settings, &mixer->geometry, &last);
  AssayTapeReport report;
  double share;

  if (!assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_LOGISTIC, mixer->key, error)
      || !assay_tape_train (tape, &how, &examples, mixer->key, &report, error)
      || !try_held_out (tape, &held, mixer->images->cols, &share, error))
    return NULL;
  guess->says
      = g_strdup_printf ("a U-Net of %zu weights after %zu of %zu epochs of %zu mixtures of "
                         "its own%s; of the signs of others it has %.1f %% right",
                         tape->n_parameters, report.best, report.epochs, mixer->encodings,
                         report.has_diverged ? " (then it diverged)" : "", 100 * share);
  if (report.has_diverged)
    guess->confidence = 0;
  return g_steal_pointer (&tape);
}

/* ---- The plugin ---- */

static gboolean
open_mixer (const Demasking *settings, const AssayObservation *seen, AssayStreamKey key,
            Mixer *ret_mixer, GError **error)
{
  const AssayRelease *release = seen->release;
  const gsize n = assay_rows_count (seen->public_rows);
  const double *most = ASSAY_PARAMETER (release, AssayMixturesParameters, max_coefficient);
  const double *share = ASSAY_PARAMETER (release, AssayMixturesParameters, private_share);
  gint64 k;

  if (release->geometry.height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release does not say what images its rows are; expected its geometry");
  if (assay_rows_cols (seen->public_rows) != assay_release_cols (release))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "public images have %zu numbers; expected %zu, as the mixtures have",
                       assay_rows_cols (seen->public_rows), assay_release_cols (release));
  if (!mixture_find_k (release, 0, USUAL_K, "public parameters", &k, error))
    return FALSE;
  if ((gsize) k > n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu public images; expected %" G_GINT64_FORMAT " or more to mix", n, k);
  *ret_mixer = (Mixer){ .coefficients = { .distribution = ASSAY_MIXTURE_UNIFORM,
                                          .k = (gsize) k,
                                          .max_coefficient = k == 1         ? 1
                                                             : most != NULL ? *most
                                                                            : USUAL_MOST,
                                          .private_share = share != NULL && k > 1 ? *share : 0 },
                        .key = key,
                        .geometry = release->geometry,
                        .encodings = (gsize) settings->encodings };
  return assay_mixture_coefficients_check (&ret_mixer->coefficients, error);
}

/* As from a release of what was demasked. */
static gboolean
link_images (const Demasking *settings, const AssayObservation *seen, AssayMatrix **estimates,
             AssayGuess *ret_guess, GError **error)
{
  const gboolean is_squared = settings->then == BRAVERMAN;
  const MixtureOptions options = MIXTURE_OPTIONS (
      settings, .form = is_squared ? MIXTURE_SQUARE : MIXTURE_PLAIN, .level = is_squared);
  g_autoptr (AssayRelease) demasked = assay_release_new (ASSAY_RELEASE_MIXTURES, "demasking");
  AssayObservation instead = *seen;

  demasked->is_unit_norm = seen->release->is_unit_norm;
  assay_arrays_take_matrix (&demasked->arrays, "images", estimates);
  instead.release = demasked;
  return mixture_link (&options, settings->keep, &instead, ret_guess, error);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Demasking *settings = context->settings;
  const Masked masked = { assay_array_view (assay_arrays_get (&seen->release->arrays, "images")),
                          &seen->release->geometry };
  const gsize n = masked.mixtures.rows, cols = masked.mixtures.cols;
  const AssayTapeExamples examples = { n, draw_masked, (gpointer) &masked };
  g_autoptr (AssayMatrix) images = NULL;
  g_autoptr (AssayMatrix) estimates = NULL;
  g_autoptr (AssayTape) tape = NULL;
  g_autofree float *likely = NULL;
  Mixer mixer;

  if (!open_mixer (settings, seen, context->stream, &mixer, error))
    return FALSE;
  images = mixture_public (seen->release, seen->public_rows, error);
  estimates = assay_matrix_new (n, cols, error);
  likely = assay_alloc (n, cols * sizeof (float), "signs", error);
  if (images == NULL || estimates == NULL || likely == NULL)
    return FALSE;
  mixer.images = images;
  tape = train (settings, &mixer, ret_guess, error);
  if (tape == NULL || !assay_tape_predict (tape, &examples, likely, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize a = 0; a < cols; a++)
      assay_matrix_row (estimates, i)[a]
          = fabsf (assay_view_row (masked.mixtures, i)[a])
            * (2 * likely[i * cols + plane_place (masked.geometry, a)] - 1);
  if (settings->then != NOTHING)
    return link_images (settings, seen, &estimates, ret_guess, error);
  assay_arrays_take_matrix (&ret_guess->arrays, "estimates", &estimates);
  return TRUE;
}

static AssayGame
plays (gconstpointer data)
{
  return ((const Demasking *) data)->then == NOTHING ? ASSAY_GAME_RECONSTRUCT : ASSAY_GAME_LINK;
}

/* Images whose pixels are all above 0, each by itself: whoever learns anything learns that. With
 * `then` mixtures of them with public ones, of more pixels. */
ASSAY_CONTROL (make_control, mixture_control_make, MixtureControl, Demasking, .n_secrets = 16,
               .n_public = 100, .side = settings->then == NOTHING ? 8 : 16,
               .n_partners = settings->then == NOTHING ? 0 : 2, .is_positive = TRUE,
               .has_mask = TRUE)

/* First weights, and what it learns from. */
static gboolean
draws (G_GNUC_UNUSED gconstpointer settings)
{
  return TRUE;
}

static AssayTapeSize
network_size (const Demasking *settings, const AssayShape *shape)
{
  const AssayGeometry geometry
      = { .height = MAX (shape->geometry.height, 1),
          .width = shape->geometry.height > 0 ? shape->geometry.width : MAX (shape->cols, 1),
          .channels = MAX (shape->geometry.channels, 1) };
  guint last;
  g_autoptr (AssayTape) tape = make_tape (settings, &geometry, &last);

  return assay_tape_planned_size (tape, last, BATCH);
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Demasking *settings = data;
  const AssayTapeSize size = network_size (settings, shape);

  return assay_tape_size_bytes (&size)
         + (guint64) settings->encodings / HELD_SHARE * shape->cols * sizeof (float);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Demasking *settings = data;
  AssayTapeSize size;

  if (!assay_tape_check_width (settings->width, error))
    return FALSE;
  size = network_size (settings, shape);
  return assay_tape_check_size (&size, error);
}

ASSAY_ATTACK (demasking, "demasking",
  .summary = "Tell the signs of masked mixtures by a network that learned from mixtures of its own",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 5.3, figure 6" },
  ASSAY_SETTINGS (Demasking,
    ASSAY_PARAM_INT (Demasking, encodings, 2000, BATCH, 100000000, "mixtures",
                     "Mixtures that the attacker makes for training, in each epoch"),
    ASSAY_PARAM_INT (Demasking, epochs, 4, 1, 100000, "",
                     "Epochs of training, each on new mixtures"),
    ASSAY_PARAM_INT (Demasking, width, 8, 8, 512, "channels",
                     "Channels of the U-Net at full size; a multiple of 8"),
    ASSAY_PARAM_REAL (Demasking, rate, 0.003, 1e-6, 1, "",
                      "Learning rate (Adam) of the first batch"),
    ASSAY_PARAM_CHOICE (Demasking, then, NOTHING, attacks,
                        "Give the demasked mixtures; or rank public images by their inner product "
                        "with these, or by that of squares"),
    ASSAY_PARAM_BOOL (Demasking, centre, FALSE,
                      "then: whether the mean image, or square, is subtracted"),
    ASSAY_PARAM_BOOL (Demasking, whiten, FALSE,
                      "then: whether images, or squares, are weighted by their inverse "
                      "covariance, shrunk towards the identity"),
    ASSAY_PARAM_REAL (Demasking, shrinkage, 0.1, 0.001, 1, "",
                      "whiten = yes: share of the mean variance in the covariance"),
    ASSAY_PARAM_BOOL (Demasking, unit, FALSE,
                      "then: whether images, or squares, are scaled to unit length before the "
                      "product"),
    MIXTURE_PARAMETER_KEEP (Demasking)),
  .check = check,
  .holds = { .items = 3, .publics = 1 },
  .memory = memory,
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC,
  .game = ASSAY_GAME_RECONSTRUCT,
  .plays = plays,
  .draws = draws,
  .attack = attack,
  .control = { .says = "masked images of positive pixels are told, or a public one in "
                       "mixtures of them",
               .make = make_control,
               .at_least = 0.8,
               .within = 0.3 });
