/* What did the photograph look like? A network paints it from what was released in place of the
 * descriptors of its keypoints (game reconstruct).
 *
 * Release: subspaces, sets of rows, or vectors; an item is of one keypoint. Knowledge: where in the
 * photograph each keypoint is (grant `keypoints`; both papers take it to be sent in clear), and
 * public photographs, whose descriptors the attacker protects by the very defense.
 * F of side x side x c has for each keypoint what is known of its descriptor, at its place; a U-Net
 * (Ronneberger et al. 2015) makes the photograph of it, in grey and of that size whatever the sides
 * of the photograph are. Guess: `photographs`, one for each group of secrets.
 *
 * The papers stack the translation and the basis of a subspace, or the m members of a set: 128 (m +
 * 1) or 128 m channels, of which most say how the release looks and not what it hides (another
 * basis of the same subspace). Here ridge regression from the numbers of an item that do not
 * (core/data/kinds/item-numbers.h) makes 128 channels, the descriptor that is expected, and its
 * first principal directions are taken: a fixed matrix, learned from the attacker's own rows.
 * The last channels have what is painted from patches (core/math/painting/paint.h): of the public
 * descriptors nearest to the subspaces (of sets to the expected descriptors or, by `patches`, to
 * the likeliest members), as it is of what `nearest` and `set-guess` find; of the second nearest,
 * and so on. Where they agree, they are likely right. The network begins with giving the first.
 * Its own photographs are painted as if they were somebody else's: from patches of the others, and
 * of subspaces not from rows that the defense has laid them through.
 *
 * Who is granted the database of a lifting recovers descriptors first (`descriptors = recovered`:
 * attacks/lifting/database.c, of the secrets' items and of the attacker's own alike), paints from
 * the patches nearest to these, and has the network refine it.
 *
 * Public photographs are few, so that parts of them are learned from (by choice in a mirror and of
 * other contrast, too: keypoint-examples.h), by several networks, each of which holds out another
 * share of the photographs: the weights of the epoch that was best there are kept. The guess is the
 * mean of what they paint. How much of it is added to the first painting, none to all, is what
 * makes all public photographs most like what they are of, by SSIM, each as the network paints it
 * that has not seen it. */
#include "core/base/free.h"

#include "attacks/photographs/keypoint-features.h"
#include "attacks/photographs/keypoint-network.h"
#include "attacks/photographs/keypoint-paint.h"
#include "attacks/photographs/photograph-case.h"

#define LEAST_SIDE 8 /* to which pictures are halved, not more often than MOST_LEVELS */
#define MOST_LEVELS 3
#define LEAST_PHOTOGRAPHS 5

typedef struct {
  guint descriptors; /* KeypointDescriptors */
  gint64 side;
  gint64 channels;
  gint64 width;
  gint64 epochs;
  gint64 windows;
  gint64 patience;
  double rate;
  guint patches; /* KeypointSetPatches */
  gint64 neighbours;
  gint64 averaged;
  gint64 folds;
  gint64 paintings;
  bool mirror;
  double jitter;
} DirectInversion;

static gsize
levels_of (gsize side)
{
  gsize levels = 0;

  while (levels < MOST_LEVELS && side >> (levels + 1) >= LEAST_SIDE)
    levels++;
  return levels;
}

static KeypointTraining
training_of (const DirectInversion *settings)
{
  return (KeypointTraining){ .side = (gsize) settings->side,
                             .width = (gsize) settings->width,
                             .levels = levels_of ((gsize) settings->side),
                             .epochs = (gsize) settings->epochs,
                             .windows = (gsize) settings->windows,
                             .patience = (gsize) settings->patience,
                             .folds = (gsize) settings->folds,
                             .paintings = (gsize) settings->paintings,
                             .rate = settings->rate,
                             .mirror = settings->mirror,
                             .jitter = settings->jitter };
}

/* ---- The attacker's photographs ---- */

/* Keypoints of the attacker's own, and the photographs in grey that have any. */
typedef struct {
  float *frames;
  gsize *pictures;
  KeypointMap map;
  GPtrArray *photos;         /* of AssayPhoto, by number; NULL: no keypoint is of it */
  KeypointPaintings painted; /* of each from patches of the others */
  gsize *order;              /* those that are there, in random order */
  gsize n;
} OwnPhotographs;

ASSAY_LOCAL_CLEAR (OwnPhotographs, own_photographs_clear, keypoint_map_clear (&self->map),
                   g_free (self->frames), g_free (self->pictures), g_free (self->order),
                   keypoint_paintings_clear (&self->painted),
                   assay_drop (self->photos, g_ptr_array_unref))

static gboolean
take_keypoints (OwnPhotographs *own, const AssayKeypoints *known, const KeypointFeatures *features,
                GError **error)
{
  const gsize n = features->own->rows;

  own->frames = assay_alloc (n, 4 * sizeof (float), "keypoints", error);
  own->pictures = own->frames != NULL ? assay_alloc (n, sizeof (gsize), "keypoints", error) : NULL;
  if (own->pictures == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const float *frame = assay_keypoints_frame (known, features->rows[i]);

    for (gsize j = 0; j < 4; j++)
      own->frames[4 * i + j] = frame[j];
    own->pictures[i] = assay_keypoints_picture (known, features->rows[i]);
  }
  if (!keypoint_map_init (&own->map, own->frames, own->pictures, known->photos->len,
                          assay_matrix_view (features->own), error))
    return FALSE;
  if (features->mirrored != NULL)
    own->map.mirrored = assay_matrix_view (features->mirrored);
  return TRUE;
}

static void
free_photo (gpointer photo)
{
  assay_photo_free (photo);
}

static gboolean
take_photographs (OwnPhotographs *own, const AssayKeypoints *known, AssayStreamKey key,
                  GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  g_autofree gsize *places = g_new (gsize, known->photos->len);

  own->photos = g_ptr_array_new_with_free_func (free_photo);
  own->order = g_new (gsize, known->photos->len);
  for (guint p = 0; p < known->photos->len; p++) {
    AssayPhoto *grey = NULL;

    if (keypoint_map_count (&own->map, p) > 0) {
      grey = assay_photo_grey (known->photos->pdata[p], error);
      if (grey == NULL)
        return FALSE;
      places[own->n++] = p;
    }
    g_ptr_array_add (own->photos, grey);
  }
  if (own->n < LEAST_PHOTOGRAPHS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu public photographs have keypoints that were protected; expected %d or "
                       "more to learn from (more public photographs, or mechanism_rows)",
                       own->n, LEAST_PHOTOGRAPHS);
  assay_stream_permutation (&stream, own->n, own->order);
  for (gsize i = 0; i < own->n; i++)
    own->order[i] = places[own->order[i]];
  return TRUE;
}

static KeypointPatches
patches_of (const AssayObservation *seen, const OwnPhotographs *own)
{
  return (KeypointPatches){ .keypoints = seen->public_keypoints,
                            .photos = (AssayPhoto *const *) own->photos->pdata };
}

static gboolean
open_own (OwnPhotographs *own, const AssayObservation *seen, const KeypointFeatures *features,
          const AssayAttackContext *context, GError **error)
{
  const DirectInversion *settings = context->settings;
  const AssayKeypoints *known = seen->public_keypoints;
  KeypointPatches patches;
  KeypointPainting painting;

  if (!take_keypoints (own, known, features, error)
      || !take_photographs (own, known, context->stream, error))
    return FALSE;
  patches = patches_of (seen, own);
  painting = (KeypointPainting){ .map = &own->map,
                                 .near = features->own_near,
                                 .k = KEYPOINT_NEAR,
                                 .sides = assay_keypoints_sides (known, 0),
                                 .is_own = TRUE };
  return keypoint_paintings_init (&own->painted, &patches, &painting, (gsize) settings->paintings,
                                  error);
}

/* ---- The photographs of the secrets ---- */

/* Which have keypoints; how many these are. */
static gsize
find_pictures (const KeypointMap *map, gsize *ret_pictures, gint64 *ret_groups)
{
  gsize count = 0;

  for (gsize k = 0; k < map->n_pictures; k++)
    if (keypoint_map_count (map, k) > 0) {
      ret_pictures[count] = k;
      ret_groups[count++] = (gint64) k;
    }
  return count;
}

static gboolean
paint (const KeypointNetwork *network, const KeypointPatches *patches, const AssayKeypoints *known,
       const KeypointFeatures *features, AssayGuess *ret_guess, GError **error)
{
  const gsize n = features->seen->rows, p = known->sides->shape[0];
  const gsize side = keypoint_network_side (network);
  g_autofree gsize *of = g_new (gsize, n), *pictures = g_new (gsize, p);
  g_autofree gint64 *groups = g_new (gint64, p);
  g_auto (KeypointMap) map = { 0 };
  const KeypointPainting painting = { .map = &map,
                                      .near = features->seen_near,
                                      .k = KEYPOINT_NEAR,
                                      .sides = assay_keypoints_sides (known, 0) };
  g_auto (KeypointPaintings) from_patches = { 0 };
  g_autoptr (AssayMatrix) painted = NULL;
  KeypointWanted wanted = { .map = &map, .painted = &from_patches, .pictures = pictures };

  for (gsize i = 0; i < n; i++)
    of[i] = assay_keypoints_picture (known, i);
  if (!keypoint_map_init (&map, (const float *) known->frames->data, of, p,
                          assay_matrix_view (features->seen), error))
    return FALSE;
  wanted.n = find_pictures (&map, pictures, groups);
  if (!keypoint_paintings_init (&from_patches, patches, &painting,
                                keypoint_network_paintings (network), error))
    return FALSE;
  painted = assay_matrix_new (wanted.n, side * side, error);
  if (painted == NULL || !keypoint_network_paint (network, &wanted, painted->data, error))
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "photographs", &painted);
  assay_arrays_take (&ret_guess->arrays, "photograph-groups",
                     assay_array_take (ASSAY_INT64, 1, &wanted.n, g_steal_pointer (&groups)));
  return TRUE;
}

static gboolean
check_known (const AssayObservation *seen, GError **error)
{
  const gsize n = assay_release_count (seen->release);

  if (seen->public_keypoints == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the public rows have no keypoints and photographs to learn from");
  if (seen->pairs == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "there are no pairs to learn from");
  if (seen->keypoints->frames->shape[0] == n)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "%zu keypoints were granted, expected one for each of %zu released items",
                     seen->keypoints->frames->shape[0], n);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const DirectInversion *settings = context->settings;
  const KeypointTraining training = training_of (settings);
  const KeypointMethod method = { .descriptors = (KeypointDescriptors) settings->descriptors,
                                  .patches = (KeypointSetPatches) settings->patches,
                                  .channels = (gsize) settings->channels,
                                  .mirror = settings->mirror,
                                  .neighbours = (gsize) settings->neighbours,
                                  .averaged = (gsize) settings->averaged };
  g_auto (KeypointFeatures) features = { 0 };
  g_auto (OwnPhotographs) own = { 0 };
  g_autoptr (KeypointNetwork) network = NULL;
  KeypointExamples examples;
  KeypointPatches patches;

  if (!check_known (seen, error)
      || !keypoint_features_init (&features, seen, &method, context->stream, error)
      || !open_own (&own, seen, &features, context, error))
    return FALSE;
  patches = patches_of (seen, &own);
  examples = (KeypointExamples){ .map = &own.map,
                                 .photos = (AssayPhoto *const *) own.photos->pdata,
                                 .painted = &own.painted,
                                 .pictures = own.order,
                                 .n = own.n };
  network = keypoint_network_new (&training, &examples, context->stream, error);
  if (network == NULL || !paint (network, &patches, seen->keypoints, &features, ret_guess, error))
    return FALSE;
  keypoint_network_tell (network, features.says, ret_guess);
  return TRUE;
}

/* ---- The plugin ---- */

/* Photographs of 64 x 64 pixels, with many times the keypoints that a photograph has a block. */
ASSAY_CONTROL (make_control, photograph_case_make, PhotographCase, DirectInversion, .n_public = 12,
               .n_secret = 6, .side = (gsize) settings->side,
               .is_lifted = settings->descriptors == KEYPOINT_RECOVERED)

static AssayTapeSize
network_size (const DirectInversion *settings, const AssayShape *shape)
{
  const KeypointTraining training = training_of (settings);

  return keypoint_network_size (&training, MIN ((gsize) settings->channels, shape->cols));
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const DirectInversion *settings = data;
  AssayTapeSize size;

  if (settings->side % (1 << MOST_LEVELS) != 0 || settings->width % 8 != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "side = %" G_GINT64_FORMAT ", width = %" G_GINT64_FORMAT
                       ": expected multiples of 8",
                       settings->side, settings->width);
  if (settings->averaged > settings->neighbours)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "averaged = %" G_GINT64_FORMAT
                       ": expected at most neighbours = %" G_GINT64_FORMAT,
                       settings->averaged, settings->neighbours);
  size = network_size (settings, shape);
  return assay_tape_check_size (&size, error);
}

static guint
wants (G_GNUC_UNUSED gconstpointer settings)
{
  return ASSAY_HAS_PUBLIC_FRAMES;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const DirectInversion *settings = data;
  const AssayTapeSize size = network_size (settings, shape);
  const guint64 copies = settings->mirror ? 14 : 12;

  return assay_tape_size_bytes (&size)
         + (guint64) settings->folds * 2 * size.parameters * sizeof (float)
         + (guint64) MIN (shape->n_public, 100000) * copies * shape->cols * sizeof (float);
}

static const AssayArraySpec guess_arrays[] = {
  { "photographs", "fq", ASSAY_FLOAT32, TRUE, 0 },
  { "photograph-groups", "f", ASSAY_INT64, TRUE, 0 },
  { .name = NULL },
};

ASSAY_ATTACK (direct_inversion, "direct-inversion",
  .summary = "Paint photographs by a network, from what was released in place of their descriptors",
  .reference = { "Dusmanu et al. 2021, Privacy-Preserving Image Features via Adversarial Affine "
                 "Subspace Embeddings; Pittaluga and Zhuang 2023, LDP-FEAT",
                 "the direct inversion attack; tables 1 and 4" },
  ASSAY_SETTINGS (DirectInversion,
    ASSAY_PARAM_CHOICE (DirectInversion, descriptors, KEYPOINT_EXPECTED, keypoint_descriptors,
                        "What pictures are painted from: the descriptors that regression expects, "
                        "or those that the attack database recovers, where it is granted the "
                        "database",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (DirectInversion, side, 32, 16, 256, "pixels",
                     "Side of the pictures that are painted; a multiple of 8"),
    ASSAY_PARAM_INT (DirectInversion, channels, 32, 1, 128, "",
                     "Principal directions of the expected descriptors that the network gets as "
                     "input"),
    ASSAY_PARAM_INT (DirectInversion, width, 8, 8, 128, "channels",
                     "Channels of the U-Net at full size; a multiple of 8"),
    ASSAY_PARAM_INT (DirectInversion, epochs, 40, 1, 10000, "", "The most epochs of training"),
    ASSAY_PARAM_INT (DirectInversion, windows, 4, 1, 1000, "",
                     "Windows cut from each public photograph in an epoch"),
    ASSAY_PARAM_INT (DirectInversion, patience, 10, 1, 10000, "epochs",
                     "Training ends after so many epochs without a lower error on held-out "
                     "photographs"),
    ASSAY_PARAM_REAL (DirectInversion, rate, 0.002, 1e-6, 1, "",
                      "Learning rate (Adam) of the first batch"),
    ASSAY_PARAM_CHOICE (DirectInversion, patches, KEYPOINT_OF_EXPECTED, keypoint_set_patches,
                        "Of released sets, whose patches are painted: of the public descriptors "
                        "nearest to the one that regression expects, or to the likeliest member, "
                        "as set-guess tells it",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (DirectInversion, neighbours, 100, 1, 1000000, "rows",
                     "descriptors = recovered: rows near the subspace that the database attack "
                     "considers",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (DirectInversion, averaged, 10, 1, 1000000, "rows",
                     "descriptors = recovered: how many of these it averages",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (DirectInversion, folds, 3, 2, 5, "networks",
                     "Networks that are trained, each without another part of the photographs, and "
                     "whose mean is the guess",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_INT (DirectInversion, paintings, 4, 1, KEYPOINT_PAINTINGS, "",
                     "What the network sees painted of a photograph: from the patches of the "
                     "nearest descriptors, of the second nearest, and so on",
                     ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (DirectInversion, mirror, FALSE,
                      "Learn from mirrored parts of photographs, too: descriptors of 128 numbers "
                      "are taken for SIFT's and mirrored, others are left as they are",
                      ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_REAL (DirectInversion, jitter, 0, 0, 0.9, "",
                      "Contrast of the parts that are learned from is drawn from 1 - jitter to 1 + "
                      "jitter, and a shift of their levels from -jitter / 2 to jitter / 2 of their "
                      "range",
                      ASSAY_PARAM_EXTRA)),
  .check = check,
  .memory = memory,
  .reads = ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTOR_SETS | ASSAY_RELEASE_VECTORS,
  .needs = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_MECHANISM | ASSAY_GRANT_KEYPOINTS,
  .adapts = TRUE,
  .wants_pairs = TRUE,
  .wants = wants,
  .writes = guess_arrays,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "photographs of blocks, whose descriptors give the brightness of each, are "
                       "told apart",
               .make = make_control,
               .at_least = 0.8 });
