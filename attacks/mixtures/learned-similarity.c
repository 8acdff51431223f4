/* Which images belong together, by networks that were trained on encodings of the attacker's own
 * making (InstaHide, Huang, Song, Li and Arora 2020, section 5.3 and figure 8; Carlini et al. 2020,
 * "Is Private Learning Possible with Instance Encoding?", section 4.1).
 *
 * Release: mixtures x~, N x d. Knowledge: public images, and the defense, which is run on them
 * (grant `mechanism`): which public images are in each encoding of that, and which of these have a
 * private one in common, is known. A network for either side learns to tell (similarity-network.h).
 *
 *   game = link  an encoding and a public image: all public images by descending similarity with
 *                x~. With `all_windows` each stands for all windows that crops and flips can make
 *                of it, 2 (2 shift + 1)^2, and has the largest similarity of these.
 *   game = pair  two encodings: s (a, b) + s (b, a), of all pairs or of those of a random subset.
 *
 * The papers train a residual network on both images at once, which takes N M passes; here there
 * are N + M. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "attacks/mixtures/mixture-scores.h"
#include "attacks/mixtures/mixture-windows.h"
#include "attacks/mixtures/pair-guess.h"
#include "attacks/mixtures/similarity-network.h"
#include "core/base/each.h"
#include "core/base/free.h"
#include "core/math/linalg.h"

#define PANEL 256 /* public images that pass through the network together */

enum { LINK, PAIR };
static const char *const games[] = { "link", "pair", NULL };

typedef struct {
  guint game;
  gint64 width;
  gint64 levels;
  gint64 examples;
  gint64 epochs;
  double rate;
  bool all_windows;
  gint64 shift;
  gint64 keep;
  gint64 pairs;
} LearnedSimilarity;

static SimilarityTraining
training_of (const LearnedSimilarity *settings)
{
  return (SimilarityTraining){ .width = (gsize) settings->width,
                               .levels = (gsize) settings->levels,
                               .pairs = (gsize) settings->examples,
                               .epochs = (gsize) settings->epochs,
                               .rate = settings->rate };
}

/* ---- Encodings of the attacker's own ---- */

typedef struct {
  GPtrArray *left;     /* of their rows, which the pairs hold */
  GPtrArray *right;    /* the same, or public images */
  GArray *ranges;      /* two gsize each */
  GArray *linked;      /* guint64 */
  AssayMatrix *images; /* public; NULL under PAIR */
} OwnSimilar;

ASSAY_LOCAL_CLEAR (OwnSimilar, own_similar_clear, assay_drop (self->left, g_ptr_array_unref),
                   assay_drop (self->right, g_ptr_array_unref),
                   assay_drop (self->ranges, g_array_unref),
                   assay_drop (self->linked, g_array_unref),
                   assay_drop (self->images, assay_matrix_free))

static void
link_pair (OwnSimilar *own, gsize left, gsize right)
{
  const guint64 pair = (guint64) left << 32 | right;

  g_array_append_val (own->linked, pair);
}

/* An encoding and each public image in it. */
static gboolean
add_partners (OwnSimilar *own, const AssayOwnRelease *release, gsize first, gsize n, GError **error)
{
  const AssayArray *partners = assay_arrays_get (&release->known, "partners");
  const gsize range[] = { 0, own->images->rows };
  const gsize p = partners != NULL && partners->shape[0] == n ? partners->shape[1] : 0;

  if (p == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "encodings of the attacker's own have no public images in them; expected a "
                       "defense that mixes some in, and tells which (partners of the truth)");
  for (gsize i = 0; i < n; i++) {
    g_array_append_val (own->ranges, range);
    for (gsize j = 0; j < p; j++) {
      const gint64 row = assay_array_int64 (partners)[i * p + j];

      if (row >= 0 && (gsize) row < range[1])
        link_pair (own, first + i, (gsize) row);
    }
  }
  return TRUE;
}

/* All encodings of one run that have a private image in common. */
static gboolean
add_sharing (OwnSimilar *own, const AssayOwnRelease *release, gsize first, gsize n, GError **error)
{
  const AssayArray *sources = assay_arrays_get (&release->known, "sources");
  const gsize range[] = { first, first + n }, rows = assay_own_rows (release).rows;
  const gsize s = sources != NULL && sources->shape[0] == n ? sources->shape[1] : 0;
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  if (s == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "it is not told which rows encodings of the attacker's own are of; expected "
                       "sources of the truth");
  for (gsize k = 0; k < rows; k++)
    g_ptr_array_add (members, g_array_new (FALSE, FALSE, sizeof (gsize)));
  for (gsize i = 0; i < n; i++) {
    g_array_append_val (own->ranges, range);
    for (gsize j = 0; j < s; j++) {
      const gint64 source = assay_array_int64 (sources)[i * s + j];

      if (source >= 0 && (gsize) source < rows)
        g_array_append_val ((GArray *) members->pdata[source], i);
    }
  }
  for (gsize k = 0; k < rows; k++) {
    const GArray *of = members->pdata[k];

    for (guint i = 0; i < of->len; i++)
      for (guint j = 0; j < of->len; j++)
        if (g_array_index (of, gsize, i) != g_array_index (of, gsize, j))
          link_pair (own, first + g_array_index (of, gsize, i),
                     first + g_array_index (of, gsize, j));
  }
  return TRUE;
}

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/* Ascending, each once. */
static void
order_pairs (GArray *linked)
{
  guint64 *pairs = (guint64 *) (void *) linked->data;
  guint n = 0;

  g_array_sort (linked, compare_pairs);
  for (guint i = 0; i < linked->len; i++)
    if (n == 0 || pairs[i] != pairs[n - 1])
      pairs[n++] = pairs[i];
  g_array_set_size (linked, n);
}

static gboolean
own_similar_init (OwnSimilar *own, const AssayObservation *seen, guint game, GError **error)
{
  own->left = g_ptr_array_new ();
  own->right = game == LINK ? g_ptr_array_new () : g_ptr_array_ref (own->left);
  own->ranges = g_array_new (FALSE, FALSE, 2 * sizeof (gsize));
  own->linked = g_array_new (FALSE, FALSE, sizeof (guint64));
  if (game == LINK && !(own->images = mixture_public (seen->release, seen->public_rows, error)))
    return FALSE;
  for (gsize i = 0; game == LINK && i < own->images->rows; i++)
    g_ptr_array_add (own->right, assay_matrix_row (own->images, i));
  ASSAY_FOR_EACH (const AssayOwnRelease, release, seen->pairs->releases) {
    const AssayView images
        = assay_array_view (assay_arrays_get (&release->release->arrays, "images"));
    const gsize first = own->left->len;

    for (gsize i = 0; i < images.rows; i++)
      g_ptr_array_add (own->left, (gpointer) assay_view_row (images, i));
    if (!(game == LINK ? add_partners : add_sharing) (own, release, first, images.rows, error))
      return FALSE;
  }
  order_pairs (own->linked);
  return TRUE;
}

/* ---- Guesses ---- */

/* The largest similarity of each mixture with the windows of each public image. */
typedef struct {
  const SimilarityNetwork *network;
  const LearnedSimilarity *settings;
  const AssayGeometry *geometry;
  AssayView left;    /* numbers of the mixtures */
  AssayMatrix *rows; /* PANEL windows */
  float *right;      /* their numbers */
  float *products;
  float *best; /* mixtures x public images */
} Linking;

static gboolean
compare_panel (const Linking *linking, const AssayMatrix *images, gsize first, gsize window,
               GError **error)
{
  const gsize count = MIN (PANEL, images->rows - first), n = linking->left.rows;
  const AssayView rows = assay_view_rows (assay_matrix_view (linking->rows), 0, count);
  const AssayView right = {
    .rows = count, .cols = linking->left.cols, .stride = linking->left.cols, .data = linking->right
  };

  for (gsize i = 0; i < count; i++) {
    const float *image = images->data + (first + i) * images->cols;
    float *row = assay_matrix_row (linking->rows, i);

    if (linking->settings->all_windows)
      mixture_window_take (linking->geometry, (gsize) linking->settings->shift, window, image, row);
    else
      memcpy (row, image, images->cols * sizeof (float));
  }
  if (!similarity_network_see (linking->network, SIMILARITY_RIGHT, rows, linking->right, error))
    return FALSE;
  assay_linalg_product_in_parallel (ASSAY_NT, linking->left, right, linking->products);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < count; j++) {
      float *best = linking->best + i * images->rows + first + j;

      *best = fmaxf (*best, linking->products[i * count + j]);
    }
  return TRUE;
}

static gboolean
link_images (const Linking *linking, const AssayMatrix *images, GError **error)
{
  const gsize windows = linking->settings->all_windows
                            ? mixture_windows_count ((gsize) linking->settings->shift)
                            : 1;

  for (gsize i = 0; i < linking->left.rows * images->rows; i++)
    linking->best[i] = -INFINITY;
  for (gsize w = 0; w < windows; w++)
    for (gsize first = 0; first < images->rows; first += PANEL)
      if (!compare_panel (linking, images, first, w, error))
        return FALSE;
  return TRUE;
}

static gboolean
guess_link (const LearnedSimilarity *settings, const SimilarityNetwork *network,
            const AssayMatrix *images, const AssayObservation *seen, AssayGuess *ret_guess,
            GError **error)
{
  const gsize d = similarity_network_numbers (network), m = images->rows;
  const gsize keep = mixture_keep (settings->keep, m);
  g_autoptr (AssayMatrix) mixtures = mixture_images (seen->release, error);
  const gsize n = mixtures != NULL ? mixtures->rows : 0;
  g_autoptr (AssayMatrix) left = assay_matrix_new (n, d, error);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (PANEL, images->cols, error);
  g_autofree float *right = assay_alloc (PANEL, d * sizeof (float), "similarities", error);
  g_autofree float *products = assay_alloc (PANEL, n * sizeof (float), "similarities", error);
  g_autofree float *best = assay_alloc (n, m * sizeof (float), "similarities", error);
  g_autofree gint64 *candidates = assay_alloc (n, keep * sizeof (gint64), "candidates", error);
  Linking linking = { network,      settings,       &seen->release->geometry,
                      .rows = rows, .right = right, .products = products,
                      .best = best };

  if (mixtures == NULL || left == NULL || rows == NULL || right == NULL || products == NULL
      || best == NULL || candidates == NULL
      || !similarity_network_see (network, SIMILARITY_LEFT, assay_matrix_view (mixtures),
                                  left->data, error))
    return FALSE;
  linking.left = assay_matrix_view (left);
  if (!link_images (&linking, images, error)
      || !mixture_order (best, n, m, keep, candidates, error))
    return FALSE;
  mixture_take_candidates (ret_guess, n, keep, g_steal_pointer (&candidates));
  return TRUE;
}

typedef struct {
  const SimilarityNetwork *network;
  const AssayRelease *release;
} Pairing;

/* s (a, b) + s (b, a): which of them is which says nothing. */
static gboolean
score_pairs (gpointer data, const gsize *items, gsize m, float *ret_scores, GError **error)
{
  const Pairing *pairing = data;
  const gsize d = similarity_network_numbers (pairing->network), p = m * (m - 1) / 2;
  g_autoptr (AssayMatrix) rows = pair_guess_rows (pairing->release, items, m, error);
  g_autoptr (AssayMatrix) left = rows != NULL ? assay_matrix_new (m, d, error) : NULL;
  g_autoptr (AssayMatrix) right = left != NULL ? assay_matrix_new (m, d, error) : NULL;
  g_autofree float *turned = right != NULL ? assay_alloc (p, sizeof (float), "pairs", error) : NULL;

  if (turned == NULL
      || !similarity_network_see (pairing->network, SIMILARITY_LEFT, assay_matrix_view (rows),
                                  left->data, error)
      || !similarity_network_see (pairing->network, SIMILARITY_RIGHT, assay_matrix_view (rows),
                                  right->data, error)
      || !mixture_pair_products (assay_matrix_view (left), assay_matrix_view (right), ret_scores,
                                 error)
      || !mixture_pair_products (assay_matrix_view (right), assay_matrix_view (left), turned,
                                 error))
    return FALSE;
  for (gsize i = 0; i < p; i++)
    ret_scores[i] += turned[i];
  return TRUE;
}

/* ---- The plugin ---- */

static gboolean
check_geometry (const LearnedSimilarity *settings, const AssayGeometry *geometry, GError **error)
{
  const gsize side = MIN (geometry->height, geometry->width);
  const gsize halves = (gsize) 1 << settings->levels;

  if (!mixture_windows_check (geometry, settings->all_windows ? (gsize) settings->shift : 0, error))
    return FALSE;
  return (geometry->height % halves == 0 && geometry->width % halves == 0
          && side / halves >= SIMILARITY_LEAST_SIDE)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "levels = %" G_GINT64_FORMAT ": images are %zu x %zu pixels; expected "
                        "sides that can be halved so often, to %d or more",
                        settings->levels, geometry->height, geometry->width, SIMILARITY_LEAST_SIDE);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const LearnedSimilarity *settings = context->settings;
  const SimilarityTraining training = training_of (settings);
  g_auto (OwnSimilar) own = { 0 };
  g_autoptr (SimilarityNetwork) network = NULL;
  SimilarityPairs pairs;
  Pairing pairing;

  if (!check_geometry (settings, &seen->release->geometry, error))
    return FALSE;
  if (seen->pairs == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "there are no pairs to learn from");
  if (!own_similar_init (&own, seen, settings->game, error))
    return FALSE;
  pairs = (SimilarityPairs){ .left = (const float *const *) own.left->pdata,
                             .n_left = own.left->len,
                             .right = (const float *const *) own.right->pdata,
                             .n_right = own.right->len,
                             .ranges = (const gsize (*)[2]) (const void *) own.ranges->data,
                             .linked = (const guint64 *) (const void *) own.linked->data,
                             .n_linked = own.linked->len,
                             .geometry = seen->release->geometry };
  network = similarity_network_new (&training, &pairs, context->stream, error);
  if (network == NULL)
    return FALSE;
  similarity_network_tell (network, ret_guess);
  if (settings->game == LINK)
    return guess_link (settings, network, own.images, seen, ret_guess, error);
  pairing = (Pairing){ network, seen->release };
  return pair_guess_make (seen->release,
                          &(PairScoring){ settings->pairs, context->stream, score_pairs, &pairing },
                          ret_guess, error);
}

static AssayGame
plays (gconstpointer data)
{
  const LearnedSimilarity *settings = data;

  return settings->game == LINK ? ASSAY_GAME_LINK : ASSAY_GAME_PAIR;
}

/* Smooth images without signs, encodings of them to be told, and others to learn from: of two
 * public ones, or of two secrets each. */
static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  const LearnedSimilarity *settings = data;
  const gsize side = (gsize) 8 << settings->levels;
  MixtureControl control = { .n_secrets = settings->game == LINK ? 20 : 10,
                             .n_public = settings->game == LINK ? 40 : 0,
                             .side = side,
                             .n_sources = settings->game == LINK ? 1 : 2,
                             .n_partners = settings->game == LINK ? 2 : 0,
                             .n_epochs = settings->game == LINK ? 1 : 4,
                             .window = 3 };
  AssayControlCase own = { 0 };
  gboolean is_made;

  if (!mixture_control_make (&control, key, ret_case, error))
    return FALSE;
  control.n_secrets *= 20;
  control.public_rows = ret_case->public_rows;
  key.word[0] ^= 1;
  is_made = mixture_control_make (&control, key, &own, error);
  if (is_made) {
    ret_case->pairs = assay_pairs_new (FALSE);
    g_ptr_array_add (
        ret_case->pairs->releases,
        assay_own_release_new (g_steal_pointer (&own.release), g_steal_pointer (&own.truth), NULL));
  }
  assay_control_case_clear (&own);
  return is_made;
}

/* 0 parameters: nothing is known of the images. */
static AssayTapeSize
network_size (const LearnedSimilarity *settings, const AssayShape *shape)
{
  const SimilarityTraining training = training_of (settings);

  if (shape->geometry.height == 0)
    return (AssayTapeSize){ .parameters = 0 };
  return similarity_network_size (&training, &shape->geometry);
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const LearnedSimilarity *settings = data;
  AssayTapeSize size;

  if (!assay_tape_check_width (settings->width, error))
    return FALSE;
  if (shape->cols == 0 || shape->geometry.height == 0)
    return TRUE;
  size = network_size (settings, shape);
  return check_geometry (settings, &shape->geometry, error) && assay_tape_check_size (&size, error);
}

/* First weights, and which pairs it learns from. */
static gboolean
draws (G_GNUC_UNUSED gconstpointer settings)
{
  return TRUE;
}

static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const LearnedSimilarity *settings = data;
  const AssayTapeSize size = network_size (settings, shape);
  const guint64 n = MAX (shape->n_released, shape->n_secrets);
  const guint64 numbers = shape->cols * (guint64) settings->width;

  return assay_tape_size_bytes (&size)
         + (settings->game == LINK
                ? (n + PANEL) * numbers * sizeof (float) + n * shape->n_public * sizeof (float)
                : pair_guess_size (n, settings->pairs) * 2 * numbers * sizeof (float)
                      + (guint64) settings->pairs * 2 * sizeof (gint64));
}

ASSAY_ATTACK (learned_similarity, "learned-similarity",
  .summary = "Tell which images belong together by networks that learned from encodings of their "
             "own",
  .reference = { "Huang, Song, Li and Arora 2020, InstaHide; Carlini et al. 2020, Is Private "
                 "Learning Possible with Instance Encoding?",
                 "section 5.3 and figure 8; section 4.1" },
  ASSAY_SETTINGS (LearnedSimilarity,
    ASSAY_PARAM_CHOICE (LearnedSimilarity, game, LINK, games,
                        "Rank public images for each mixture, or score pairs of mixtures"),
    ASSAY_PARAM_INT (LearnedSimilarity, width, 8, 8, 512, "channels",
                     "Channels of the networks at full size; a multiple of 8"),
    ASSAY_PARAM_INT (LearnedSimilarity, levels, 0, 0, 6, "",
                     "How often images are halved before they are compared: the more, the less "
                     "shifts matter, and details tell"),
    ASSAY_PARAM_INT (LearnedSimilarity, examples, 4000, 64, 100000000, "pairs",
                     "Pairs drawn anew in each epoch, of which every second belongs together"),
    ASSAY_PARAM_INT (LearnedSimilarity, epochs, 4, 1, 100000, "", "Epochs of training"),
    ASSAY_PARAM_REAL (LearnedSimilarity, rate, 0.01, 1e-6, 1, "",
                      "Learning rate (Adam) of the first batch"),
    MIXTURE_PARAMETERS_WINDOWS (LearnedSimilarity, ", under game = link"),
    MIXTURE_PARAMETER_KEEP (LearnedSimilarity),
    MIXTURE_PARAMETER_PAIRS (LearnedSimilarity)),
  .check = check,
  .holds = { .items = 2, .publics = 1 },
  .memory = memory,
  .reads = ASSAY_RELEASE_MIXTURES,
  .needs = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_MECHANISM,
  .adapts = TRUE,
  .wants_pairs = TRUE,
  .game = ASSAY_GAME_LINK,
  .plays = plays,
  .draws = draws,
  .attack = attack,
  .control = { .says = "of smooth images mixed without signs those that belong together are told",
               .make = make_control,
               .at_least = 0.7 });
