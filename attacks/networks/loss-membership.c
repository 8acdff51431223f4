/* Was this record trained on? A network is surer of what it has learned: records are scored by
 *   ln (p_y / (1 - p_y)),
 * p_y the share that the released network gives the class y of the record (Yeom, Giacomelli,
 * Fredrikson and Jha 2018, "Privacy Risk in Machine Learning", section 3.3, by the loss -ln p_y,
 * which orders records alike; scaled as in Carlini, Chien, Nasr, Song, Terzis and Tramer 2022,
 * "Membership Inference Attacks From First Principles", section VI-C). Where the class of a record
 * is not known it is the one with the largest share.
 *
 * Nothing is learned and no network trained: attackers who train shadow networks of their own do
 * better at low rates of false alarms (Carlini et al. 2022), for dozens of trainings. */
#include <float.h>
#include <math.h>

#include "core/data/kinds/network.h"
#include "core/games/control-case.h"
#include "core/network/classifier/released-network.h"
#include "core/network/tape-weights.h"
#include "core/network/train.h"
#include "core/plugin/plugin.h"

/* Classes of records are of those that the network has, or none is believed. */
static const gint64 *
known_labels (const AssayObservation *seen, gsize n_classes)
{
  for (gsize i = 0; seen->record_labels != NULL && i < assay_rows_count (seen->records); i++)
    if (seen->record_labels[i] < 0 || (gsize) seen->record_labels[i] >= n_classes)
      return NULL;
  return seen->record_labels;
}

/* Shares are summed without the largest, so that one near 1 keeps its digits. */
static float
score (const float *shares, gsize n_classes, const gint64 *label)
{
  gsize of = 0;
  double others = 0;

  for (gsize c = 1; c < n_classes; c++)
    of = shares[c] > shares[of] ? c : of;
  if (label != NULL)
    of = (gsize) *label;
  for (gsize c = 0; c < n_classes; c++)
    others += c != of ? (double) shares[c] : 0;
  return (float) (log (MAX ((double) shares[of], (double) FLT_MIN))
                  - log (MAX (others, (double) FLT_MIN)));
}

static gboolean
attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
        AssayGuess *ret_guess, GError **error)
{
  const gsize n = assay_rows_count (seen->records);
  g_auto (AssayReleasedNetwork) network = { 0 };
  g_autoptr (AssayMatrix) rows = assay_matrix_new (n, assay_rows_cols (seen->records), error);
  g_autoptr (AssayMatrix) shares = NULL;
  g_autofree float *scores = assay_alloc (n, sizeof *scores, "scores of records", error);
  const gint64 *labels;

  if (rows == NULL || scores == NULL
      || !assay_released_network_open (seen->release, &network, error))
    return FALSE;
  assay_rows_read (seen->records, 0, n, ASSAY_SCALE_NONE, rows->data);
  shares = assay_matrix_new (n, network.images.n_classes, error);
  if (shares == NULL
      || !assay_released_network_predict (&network, assay_matrix_view (rows), shares->data, error))
    return FALSE;
  labels = known_labels (seen, shares->cols);
  for (gsize i = 0; i < n; i++)
    scores[i]
        = score (assay_matrix_row (shares, i), shares->cols, labels != NULL ? &labels[i] : NULL);
  ret_guess->says = g_strdup_printf ("by the share that the network gives the %s class of a record",
                                     labels != NULL ? "right" : "likeliest");
  assay_arrays_take (&ret_guess->arrays, "member-scores",
                     assay_array_take (ASSAY_FLOAT32, 1, &n, g_steal_pointer (&scores)));
  return TRUE;
}

/* ---- The control: a network that has learned random labels by heart ---- */

/* Their labels are not handed on, so that the attack goes by the likeliest class. */
enum { SIDE = 8, PIXELS = SIDE * SIDE, MEMBERS = 24, CLASSES = 4 };

static const AssayImageClassifier small = { .width = 8, .blocks = 1, .stride = 1 };

/* On the images, with random labels. */
static gboolean
train (const AssayMatrix *images, AssayStream *stream, AssayRelease *release, GError **error)
{
  gint64 labels[MEMBERS];
  AssayClassifierImages seen
      = { { 1, SIDE, SIDE }, 0, 1, assay_matrix_view (images), labels, CLASSES };
  const AssayTapeExamples examples = { MEMBERS, assay_classifier_images_draw, &seen };
  const AssayTapeTraining training
      = { .descent = ASSAY_DESCENT_ADAM, .epochs = 60, .batch = 8, .rate = 0.01 };
  g_autoptr (AssayTape) tape = assay_tape_new (seen.shape);
  const guint last = assay_image_classifier_add (tape, &small, CLASSES);
  AssayStreamKey key;
  float *weights;
  gsize n;

  for (gsize i = 0; i < MEMBERS; i++)
    labels[i] = (gint64) assay_stream_below (stream, CLASSES);
  assay_stream_fill_u32 (stream, G_N_ELEMENTS (key.word), key.word);
  if (!assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_SHARES, key, error)
      || !assay_tape_train (tape, &training, &examples, key, NULL, error))
    return FALSE;
  n = assay_tape_count_weights (tape);
  weights = g_new (float, n);
  assay_tape_get_weights (tape, tape->parameters, weights);
  assay_arrays_take_rows (&release->arrays, "weights", ASSAY_FLOAT32, 1, n, weights);
  return TRUE;
}

static void
publish (AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, height, SIDE);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, width, SIDE);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, channels, 1);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, classes, CLASSES);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, filters, (gint64) small.width);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, blocks, (gint64) small.blocks);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, stride, (gint64) small.stride);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, black, 0);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, white, 1);
}

static gboolean
make_control (G_GNUC_UNUSED gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) images = assay_control_normals (MEMBERS, PIXELS, &stream, error);
  AssayRelease *release;

  if (images == NULL)
    return FALSE;
  release = assay_release_new (ASSAY_RELEASE_NETWORK, "control");
  publish (release);
  return assay_control_take (ret_case, release,
                             assay_matrix_copy (assay_matrix_view (images), error))
         && train (images, &stream, release, error)
         && assay_control_hide_members (
             ret_case, assay_control_normals (2 * MEMBERS, PIXELS, &stream, error), &stream);
}

/* ---- Descriptor ---- */

/* The weights twice, and what images are and become. */
ASSAY_MEMORY (memory, void,
              (2 * shape->n_outputs + shape->n_secrets * 4 * (shape->cols + shape->n_classes))
                  * sizeof (float))

ASSAY_ATTACK (loss_membership, "loss-membership",
  .summary = "Tell from how sure a network is of a record whether it was trained on",
  .reference = { "Yeom, Giacomelli, Fredrikson and Jha 2018, Privacy Risk in Machine Learning",
                 "section 3.3" },
  .memory = memory,
  .reads = ASSAY_RELEASE_NETWORK,
  .needs = ASSAY_GRANT_NONE,
  .game = ASSAY_GAME_MEMBER,
  .attack = attack,
  .control = { .says = "noise that a network has learned by heart is told from other noise",
               .make = make_control,
               .at_least = 0.9 });
