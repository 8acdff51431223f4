/* Public images, mixed like those of a cell. */
#include "attacks/mixtures/mixture-likeness.h"

#include "core/data/kinds/mixtures.h"
#include "core/math/mixture.h"

#define LEAST_SECRETS 2
#define PUBLIC_PER_SECRET 4 /* at least */

/* Items of the stream: of the whole, and of mixture i the 1 + i-th. */
enum { WHOLE, FIRST };

typedef struct {
  const AssayObservation *seen;
  AssayMixtureCoefficients coefficients;
  gsize n, epochs, total; /* n, T and N of the case */
  gsize n_sources, n_partners;
  gboolean has_mask;
  AssayMatrix *secrets; /* n x d, on the scale of the release */
  AssayRows *others;    /* public images that are no secrets */
  gint64 *classes;      /* of the secrets */
  gsize n_classes;      /* 0: no labels */
  gint64 *sources;      /* N x n_sources */
  gint64 *owners;       /* N */
  AssayMatrix *images;  /* N x d */
  AssayMatrix *labels;  /* N x n_classes; NULL: none */
} Making;

static void
making_clear (Making *making)
{
  assay_matrix_free (making->secrets);
  assay_rows_unref (making->others);
  g_free (making->classes);
  g_free (making->sources);
  g_free (making->owners);
  assay_matrix_free (making->images);
  assay_matrix_free (making->labels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Making, making_clear)

/* FALSE: there is no room for such a case, or its coefficients cannot be drawn. */
static gboolean
find_shape (const MixtureLikeness *like, const AssayObservation *seen, Making *making)
{
  const AssayRelease *release = seen->release;
  const gint64 *partners = ASSAY_PARAMETER (release, AssayMixturesParameters, partners);
  const double *share = ASSAY_PARAMETER (release, AssayMixturesParameters, private_share);
  const bool *mask = ASSAY_PARAMETER (release, AssayMixturesParameters, mask);
  const AssayArray *labels = assay_arrays_get (&release->arrays, "labels");
  const gsize n_public = seen->public_rows != NULL ? assay_rows_count (seen->public_rows) : 0;

  making->seen = seen;
  making->n_partners = partners != NULL && *partners >= 0 && (gsize) *partners < like->k
                           ? (gsize) *partners
                           : like->k - MIN (like->k, 2);
  making->n_sources = like->k - making->n_partners;
  making->coefficients = (AssayMixtureCoefficients){ .k = like->k,
                                                     .max_coefficient = like->max_coefficient,
                                                     .private_share = share != NULL ? *share : 0 };
  making->has_mask = mask == NULL || *mask;
  making->n_classes = labels != NULL ? labels->shape[1] : 0;
  making->epochs = MAX (assay_release_count (release) / MAX (like->n_secrets, 1), 1);
  making->n = MIN (MIN (like->n_secrets, n_public / PUBLIC_PER_SECRET),
                   MAX (MIXTURE_LIKENESS_MOST / making->epochs, LEAST_SECRETS));
  making->total = making->n * making->epochs;
  return making->n >= MAX (LEAST_SECRETS, making->n_sources)
         && n_public - making->n >= making->n_partners
         && assay_mixture_coefficients_check (&making->coefficients, NULL);
}

/* Which public images are secrets, in random order, and the others in theirs. */
static gboolean
divide_public (Making *making, AssayStream *stream, GError **error)
{
  const AssayRows *rows = making->seen->public_rows;
  const gsize n_public = assay_rows_count (rows), cols = assay_rows_cols (rows);
  g_autofree gsize *order = g_new (gsize, n_public);
  AssayMatrix *others = assay_matrix_new (n_public - making->n, cols, error);

  if (others == NULL)
    return FALSE;
  assay_stream_permutation (stream, n_public, order);
  assay_rows_gather (rows, order + making->n, others->rows, ASSAY_SCALE_NONE, others->data);
  making->others = assay_rows_take_matrix (others);
  making->secrets = assay_matrix_new (making->n, cols, error);
  if (making->secrets == NULL)
    return FALSE;
  assay_rows_gather (rows, order, making->n, assay_release_scale (making->seen->release),
                     making->secrets->data);
  making->classes = g_new (gint64, making->n);
  for (gsize i = 0; i < making->n && making->n_classes > 0; i++)
    making->classes[i] = (gint64) assay_stream_below (stream, making->n_classes);
  return TRUE;
}

/* Each epoch has one mixture of every secret, with those that follow it in a random circle: each is
 * in equally many, and never twice in one. */
static void
draw_sources (Making *making, AssayStream *stream)
{
  const gsize n = making->n, s = making->n_sources;
  g_autofree gsize *circle = g_new (gsize, n);

  for (gsize t = 0; t < making->epochs; t++) {
    assay_stream_permutation (stream, n, circle);
    for (gsize i = 0; i < n; i++) {
      making->owners[t * n + i] = (gint64) circle[i];
      for (gsize j = 0; j < s; j++)
        making->sources[(t * n + i) * s + j] = (gint64) circle[(i + j) % n];
    }
  }
}

/* @partners and @words: room for a mixture's public images, and for the signs of its numbers. */
static void
mix (const Making *making, gsize number, AssayStream *stream, float *partners, guint32 *words)
{
  const gsize s = making->n_sources, p = making->n_partners, d = making->secrets->cols;
  const gint64 *sources = making->sources + number * s;
  float *image = assay_matrix_row (making->images, number);
  const float *images[ASSAY_MIXTURE_MAX_IMAGES];
  float coefficients[ASSAY_MIXTURE_MAX_IMAGES];
  gsize chosen[ASSAY_MIXTURE_MAX_IMAGES];

  assay_stream_choose (stream, assay_rows_count (making->others), p, chosen);
  assay_rows_gather (making->others, chosen, p, assay_release_scale (making->seen->release),
                     partners);
  for (gsize j = 0; j < s + p; j++)
    images[j]
        = j < s ? assay_matrix_row (making->secrets, (gsize) sources[j]) : partners + (j - s) * d;
  assay_mixture_coefficients_draw (&making->coefficients, stream, coefficients);
  assay_mixture_sum (images, coefficients, s + p, d, image);
  if (making->has_mask) {
    assay_stream_fill_u32 (stream, assay_mixture_sign_words (d), words);
    assay_mixture_flip_signs (words, d, image);
  }
  for (gsize j = 0; j < s && making->labels != NULL; j++)
    assay_matrix_row (making->labels, number)[making->classes[sources[j]]] += coefficients[j];
}

static gboolean
mix_all (Making *making, AssayStreamKey key, GError **error)
{
  const gsize total = making->total, d = making->secrets->cols;
  g_autofree float *partners
      = assay_alloc (making->n_partners, d * sizeof (float), "public images", error);
  g_autofree guint32 *words = g_new (guint32, assay_mixture_sign_words (d));

  making->images = partners != NULL ? assay_matrix_new (total, d, error) : NULL;
  if (making->images != NULL && making->n_classes > 0)
    making->labels = assay_matrix_new (total, making->n_classes, error);
  if (making->images == NULL || (making->n_classes > 0 && making->labels == NULL))
    return FALSE;
  for (gsize i = 0; i < total; i++) {
    AssayStream stream = assay_stream (key, FIRST + i);

    mix (making, i, &stream, partners, words);
  }
  return TRUE;
}

/* What it says of itself: what the other does, and what the attack takes that to be. */
static AssayRelease *
new_release (const Making *making)
{
  const AssayRelease *real = making->seen->release;
  AssayRelease *release = assay_release_new (real->kind, real->defense);

  release->is_unit_norm = real->is_unit_norm;
  release->geometry = real->geometry;
  assay_parameters_copy (&release->parameters, &real->parameters);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, (gint64) making->coefficients.k);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, epochs, (gint64) making->epochs);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient,
                       making->coefficients.max_coefficient);
  return release;
}

static void
publish (Making *making, AssayControlCase *ret_case)
{
  AssayRelease *release = new_release (making);
  AssayArrays *truth;

  assay_arrays_take_matrix (&release->arrays, "images", &making->images);
  if (making->labels != NULL)
    assay_arrays_take_matrix (&release->arrays, "labels", &making->labels);
  ret_case->release = release;
  ret_case->public_rows = g_steal_pointer (&making->others);
  if (making->seen->groups != NULL)
    ret_case->groups = g_steal_pointer (&making->owners);
  ret_case->truth = assay_truth_new ();
  ret_case->truth->geometry = release->geometry;
  truth = &ret_case->truth->arrays;
  assay_arrays_take_matrix (truth, "secrets", &making->secrets);
  assay_arrays_take_rows (truth, "sources", ASSAY_INT64, making->total, making->n_sources,
                          g_steal_pointer (&making->sources));
}

gboolean
mixture_likeness_make (const MixtureLikeness *like, AssayStreamKey key,
                       const AssayObservation *seen, AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (key, WHOLE);
  g_auto (Making) making = { 0 };

  if (!find_shape (like, seen, &making))
    return TRUE;
  making.sources = assay_alloc (making.total, making.n_sources * sizeof (gint64), "sources", error);
  making.owners = assay_alloc (making.total, sizeof (gint64), "owners", error);
  if (making.sources == NULL || making.owners == NULL || !divide_public (&making, &stream, error))
    return FALSE;
  draw_sources (&making, &stream);
  if (!mix_all (&making, key, error))
    return FALSE;
  publish (&making, ret_case);
  return TRUE;
}
