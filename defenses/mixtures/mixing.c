/* Releases of mixed images: x~ = sigma o sum_j lambda_j x_j, in double and released as float32. */
#include "defenses/mixtures/mixing.h"

#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "defenses/mixtures/mixing-partners.h"

/* What numbers are drawn for: the upper bits of a stream's item, beside which there is room for the
 * number of an image, or of a permutation. */
typedef enum { COEFFICIENTS, SIGNS, CROPS, PERMUTATIONS, DECKS, PRIVATE_CROPS, NOISE } Purpose;

static guint64
item_of (Purpose purpose, guint64 number)
{
  return (guint64) purpose << 56 | number;
}

/* ---- One image ---- */

typedef struct {
  const MixingScheme *scheme;
  const AssayDefenseContext *context;
  AssayView secrets;
  gsize total;         /* N */
  gint64 *sources;     /* N x s */
  gint64 *partners;    /* N x p */
  gint64 *owners;      /* N */
  float *coefficients; /* N x k */
  float *images;       /* N x cols */
  float *labels;       /* N x n_classes; empty where secrets have no labels */
  float *rows;         /* public rows of the image that a worker makes, p x cols a worker */
  float *windows;      /* the same, empty unless they are cut */
  float *secret_windows; /* of its secrets, s x cols a worker; empty unless they are cut */
  guint32 *words;      /* of its signs */
} Mixing;

ASSAY_LOCAL_CLEAR (Mixing, mixing_clear, g_free (self->sources), g_free (self->partners),
                   g_free (self->owners), g_free (self->coefficients), g_free (self->images),
                   g_free (self->labels), g_free (self->rows), g_free (self->windows),
                   g_free (self->secret_windows), g_free (self->words))

static gboolean
cuts_windows (const MixingScheme *scheme)
{
  return scheme->n_partners > 0 && (scheme->crops > 0 || scheme->has_flips);
}

static gboolean
cuts_secrets (const MixingScheme *scheme)
{
  return scheme->private_crops > 0 || scheme->has_private_flips;
}

/* A window of @image, which is moved by @crops at most and may be mirrored. */
static void
draw_window (const AssayGeometry *geometry, gsize crops, gboolean has_flips, AssayStream *stream,
             const float *image, float *ret_window)
{
  const gint64 down = (gint64) assay_stream_below (stream, 2 * crops + 1) - (gint64) crops;
  const gint64 right = (gint64) assay_stream_below (stream, 2 * crops + 1) - (gint64) crops;
  const gboolean is_flipped = has_flips && assay_stream_below (stream, 2) == 1;

  assay_mixture_window (geometry, down, right, is_flipped, image, ret_window);
}

/* The public rows of image number @number, as they are mixed. */
static const float *
read_partners (const Mixing *mixing, gsize number, guint worker)
{
  const MixingScheme *scheme = mixing->scheme;
  const gsize p = scheme->n_partners, cols = mixing->secrets.cols;
  float *rows = mixing->rows + worker * p * cols;
  float *windows = mixing->windows + worker * p * cols;
  gsize chosen[ASSAY_MIXTURE_MAX_IMAGES];
  AssayStream stream;

  for (gsize j = 0; j < p; j++)
    chosen[j] = (gsize) mixing->partners[number * p + j];
  assay_rows_gather (mixing->context->public_rows, chosen, p, ASSAY_SCALE_NONE, rows);
  if (!cuts_windows (scheme))
    return rows;
  stream = assay_stream (mixing->context->stream, item_of (CROPS, number));
  for (gsize j = 0; j < p; j++)
    draw_window (&mixing->context->geometry, scheme->crops, scheme->has_flips, &stream,
                 rows + j * cols, windows + j * cols);
  return windows;
}

/* The secrets of image number @number, as they are mixed. */
static void
point_to_secrets (const Mixing *mixing, gsize number, guint worker, const float **ret_images)
{
  const MixingScheme *scheme = mixing->scheme;
  const gsize s = scheme->n_sources, cols = mixing->secrets.cols;
  float *windows = mixing->secret_windows + worker * s * cols;
  AssayStream stream = assay_stream (mixing->context->stream, item_of (PRIVATE_CROPS, number));

  for (gsize j = 0; j < s; j++) {
    ret_images[j] = assay_view_row (mixing->secrets, (gsize) mixing->sources[number * s + j]);
    if (!cuts_secrets (scheme))
      continue;
    draw_window (&mixing->context->geometry, scheme->private_crops, scheme->has_private_flips,
                 &stream, ret_images[j], windows + j * cols);
    ret_images[j] = windows + j * cols;
  }
}

static void
add_noise (const Mixing *mixing, gsize number, float *inout_image)
{
  AssayStream stream = assay_stream (mixing->context->stream, item_of (NOISE, number));

  for (gsize c = 0; c < mixing->secrets.cols; c++)
    inout_image[c] += (float) (mixing->scheme->noise * assay_stream_normal (&stream));
}

static void
mix_one (gsize number, guint worker, gpointer data)
{
  const Mixing *mixing = data;
  const MixingScheme *scheme = mixing->scheme;
  const AssayDefenseContext *context = mixing->context;
  const gsize s = scheme->n_sources, p = scheme->n_partners, k = s + p;
  const gsize cols = mixing->secrets.cols;
  const gint64 *sources = mixing->sources + number * s;
  float *coefficients = mixing->coefficients + number * k;
  float *image = mixing->images + number * cols;
  const float *rows = p > 0 ? read_partners (mixing, number, worker) : NULL;
  AssayStream stream = assay_stream (context->stream, item_of (COEFFICIENTS, number));
  const float *images[ASSAY_MIXTURE_MAX_IMAGES];

  point_to_secrets (mixing, number, worker, images);
  for (gsize j = s; j < k; j++)
    images[j] = rows + (j - s) * cols;
  assay_mixture_coefficients_draw (&scheme->coefficients, &stream, coefficients);
  assay_mixture_sum (images, coefficients, k, cols, image);
  if (scheme->has_mask) {
    guint32 *words = mixing->words + worker * assay_mixture_sign_words (cols);

    stream = assay_stream (context->stream, item_of (SIGNS, number));
    assay_stream_fill_u32 (&stream, assay_mixture_sign_words (cols), words);
    assay_mixture_flip_signs (words, cols, image);
  }
  if (scheme->noise > 0)
    add_noise (mixing, number, image);
  mixing->owners[number] = (gint64) (number % mixing->secrets.rows);
  for (gsize j = 0; context->labels != NULL && j < s; j++)
    mixing->labels[number * context->n_classes + (gsize) context->labels[sources[j]]]
        += coefficients[j];
}

/* ---- All images ---- */

static gboolean
check_material (const MixingScheme *scheme, const AssayDefenseContext *context, AssayView secrets,
                GError **error)
{
  const AssayRows *public_rows = context->public_rows;

  if (secrets.rows < scheme->n_sources)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected %zu or more secrets, found %zu",
                       scheme->n_sources, secrets.rows);
  if (scheme->n_partners > 0
      && (public_rows == NULL || assay_rows_cols (public_rows) != secrets.cols
          || assay_rows_count (public_rows) < scheme->n_partners))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected %zu or more public rows of %zu columns", scheme->n_partners,
                       secrets.cols);
  for (gsize i = 0; context->labels != NULL && i < secrets.rows; i++)
    if (context->labels[i] < 0 || (guint64) context->labels[i] >= context->n_classes)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the label of secret %zu is %" G_GINT64_FORMAT "; expected less than %zu, "
                         "the number of classes, and no negative number",
                         i, context->labels[i], context->n_classes);
  return TRUE;
}

/* Who is in each image. */
static gboolean
draw_members (Mixing *mixing, GError **error)
{
  const MixingScheme *scheme = mixing->scheme;
  const AssayDefenseContext *context = mixing->context;
  const gsize s = scheme->n_sources, n = mixing->secrets.rows;

  for (gsize epoch = 0; epoch < scheme->n_epochs; epoch++)
    if (!mixing_draw_sources (context->stream, item_of (PERMUTATIONS, (guint64) epoch * s), n, s,
                              mixing->sources + epoch * n * s, error))
      return FALSE;
  if (scheme->n_partners == 0)
    return TRUE;
  return mixing_draw_partners (
      &(MixingDraw){ assay_rows_count (context->public_rows), mixing->total, scheme->n_partners },
      context->stream, item_of (DECKS, 0), mixing->partners, error);
}

static gboolean
make_room (Mixing *mixing, GError **error)
{
  const MixingScheme *scheme = mixing->scheme;
  const gsize s = scheme->n_sources, p = scheme->n_partners, cols = mixing->secrets.cols;
  const gsize n_classes = mixing->context->labels != NULL ? mixing->context->n_classes : 0;
  const gsize workers = assay_parallel_threads ();
  const gsize row = p * cols * sizeof (float);

  if (!g_size_checked_mul (&mixing->total, scheme->n_epochs, mixing->secrets.rows))
    return assay_fail (error, ASSAY_ERROR_MEMORY, "more images than can be counted");
  return (mixing->images = assay_alloc (mixing->total, cols * sizeof (float), "images", error))
         && (mixing->sources = assay_alloc (mixing->total, s * sizeof (gint64), "sources", error))
         && (mixing->partners = assay_alloc (mixing->total, p * sizeof (gint64), "partners", error))
         && (mixing->owners = assay_alloc (mixing->total, sizeof (gint64), "owners", error))
         && (mixing->coefficients
             = assay_alloc (mixing->total, (s + p) * sizeof (float), "coefficients", error))
         && (mixing->labels
             = assay_alloc (mixing->total, n_classes * sizeof (float), "labels", error))
         && (mixing->rows = assay_alloc (workers, row, "public rows", error))
         && (mixing->windows = assay_alloc (workers, cuts_windows (scheme) ? row : 0,
                                            "windows of public rows", error))
         && (mixing->secret_windows
             = assay_alloc (workers, cuts_secrets (scheme) ? s * cols * sizeof (float) : 0,
                            "windows of secrets", error))
         && (mixing->words = assay_alloc (
                 workers, assay_mixture_sign_words (cols) * sizeof (guint32), "signs", error));
}

static void
publish (const MixingScheme *scheme, AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k,
                       (gint64) (scheme->n_sources + scheme->n_partners));
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, partners, (gint64) scheme->n_partners);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, epochs, (gint64) scheme->n_epochs);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient,
                       scheme->coefficients.max_coefficient);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, private_share,
                       scheme->coefficients.private_share);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, owner_share,
                       assay_mixture_coefficients_mean (&scheme->coefficients));
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, mask, scheme->has_mask);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, coefficients,
                       scheme->coefficients.distribution);
  if (scheme->coefficients.distribution == ASSAY_MIXTURE_DIRICHLET)
    ASSAY_SET_PARAMETER (release, AssayMixturesParameters, concentration,
                         scheme->coefficients.concentration);
  if (scheme->coefficients.distribution == ASSAY_MIXTURE_FIXED)
    ASSAY_SET_PARAMETER (release, AssayMixturesParameters, alpha, scheme->coefficients.alpha);
}

gboolean
mixing_protect (const MixingScheme *scheme, const AssayDefenseContext *context, AssayView secrets,
                AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)
{
  const gsize s = scheme->n_sources, p = scheme->n_partners;
  g_auto (Mixing) mixing = { .scheme = scheme, .context = context, .secrets = secrets };

  if (!check_material (scheme, context, secrets, error) || !make_room (&mixing, error)
      || !draw_members (&mixing, error))
    return FALSE;
  assay_parallel_for (mixing.total, mix_one, &mixing);

  assay_arrays_take_rows (&ret_release->arrays, "images", ASSAY_FLOAT32, mixing.total, secrets.cols,
                          g_steal_pointer (&mixing.images));
  if (context->labels != NULL)
    assay_arrays_take_rows (&ret_release->arrays, "labels", ASSAY_FLOAT32, mixing.total,
                            context->n_classes, g_steal_pointer (&mixing.labels));
  assay_arrays_take_rows (&ret_truth->arrays, "sources", ASSAY_INT64, mixing.total, s,
                          g_steal_pointer (&mixing.sources));
  if (p > 0)
    assay_arrays_take_rows (&ret_truth->arrays, "partners", ASSAY_INT64, mixing.total, p,
                            g_steal_pointer (&mixing.partners));
  assay_arrays_take_rows (&ret_truth->arrays, "coefficients", ASSAY_FLOAT32, mixing.total, s + p,
                          g_steal_pointer (&mixing.coefficients));
  assay_arrays_take (
      &ret_truth->arrays, "owners",
      assay_array_take (ASSAY_INT64, 1, &mixing.total, g_steal_pointer (&mixing.owners)));
  publish (scheme, ret_release);
  return TRUE;
}

/* ---- What is known beforehand ---- */

static gboolean
check_windows (const MixingScheme *scheme, const AssayGeometry *geometry, GError **error)
{
  const gsize side = MIN (geometry->height, geometry->width);

  if (side == 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s: expected a dataset of images, whose height and width are known",
                       scheme->crops > 0           ? "crops"
                       : scheme->has_flips         ? "flips"
                       : scheme->private_crops > 0 ? "private_crops"
                                                   : "private_flips");
  if (MAX (scheme->crops, scheme->private_crops) >= side)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s = %zu: expected less than the %zu pixels of an image's shorter side",
                       scheme->crops >= side ? "crops" : "private_crops",
                       MAX (scheme->crops, scheme->private_crops), side);
  return TRUE;
}

/* One image by itself has all of itself, whatever is asked of coefficients (Huang et al. 2020,
 * section 5.1, k = 1: "apply mask on original images, no Mixup"). */
MixingScheme
mixing_scheme (const MixingSettings *settings, gsize n_sources)
{
  const gboolean is_alone = settings->k == 1;

  return (MixingScheme){ .coefficients = { .distribution = settings->coefficients,
                                           .concentration = settings->concentration,
                                           .alpha = is_alone ? 0 : settings->alpha,
                                           .k = (gsize) settings->k,
                                           .max_coefficient
                                           = is_alone ? 1 : settings->max_coefficient,
                                           .private_share = settings->private_share },
                         .n_sources = n_sources,
                         .n_partners = (gsize) settings->k - n_sources,
                         .n_epochs = (gsize) settings->epochs,
                         .has_mask = settings->mask,
                         .crops = (gsize) settings->crops,
                         .has_flips = settings->flips,
                         .private_crops = (gsize) settings->private_crops,
                         .has_private_flips = settings->private_flips,
                         .noise = settings->noise };
}

gboolean
mixing_check (const MixingScheme *scheme, const AssayShape *shape, GError **error)
{
  const gsize s = scheme->n_sources, p = scheme->n_partners;

  if (shape->n_secrets > 0 && shape->n_secrets < s)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "k = %zu puts %zu distinct secrets into an image: expected as many or more "
                       "secrets, found %zu",
                       s + p, s, shape->n_secrets);
  if (shape->n_public > 0 && shape->n_public < p)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "k = %zu puts %zu distinct public images into an image: expected as many or "
                       "more public rows, found %zu",
                       s + p, p, shape->n_public);
  if ((scheme->crops > 0 || scheme->has_flips || cuts_secrets (scheme)) && shape->cols > 0
      && !check_windows (scheme, &shape->geometry, error))
    return FALSE;
  return assay_mixture_coefficients_check (&scheme->coefficients, error);
}

void
mixing_release_shape (const MixingScheme *scheme, AssayShape *inout_shape)
{
  inout_shape->n_released = scheme->n_epochs * inout_shape->n_secrets;
  inout_shape->n_members = scheme->n_sources + scheme->n_partners;
}
