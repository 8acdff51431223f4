/* Mirror images, and groups of them. */
#include "attacks/inversion/mixture-orbits.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define ALIKE 0.75f /* of one secret */
#define SAME 0.9f   /* ... and good enough to be averaged */

/* @n images and what each of them is like. */
typedef struct {
  const MixtureState *state;
  float *as_is;    /* correlations, n x n */
  float *mirrored; /* ... with mirror images */
} Likeness;

static void
mirror (const AssayGeometry *shape, const float *image, float *ret_image)
{
  const gsize line = shape->width * shape->channels;

  for (gsize y = 0; y < shape->height; y++)
    for (gsize x = 0; x < shape->width; x++)
      for (gsize c = 0; c < shape->channels; c++)
        ret_image[y * line + x * shape->channels + c]
            = image[y * line + (shape->width - 1 - x) * shape->channels + c];
}

/* Of mean 0 and length 1; flat ones are 0. */
static void
standardise (const float *image, gsize d, float *ret_row)
{
  double mean = 0, square = 0;

  for (gsize j = 0; j < d; j++)
    mean += image[j] / (double) d;
  for (gsize j = 0; j < d; j++)
    square += (image[j] - mean) * (image[j] - mean);
  for (gsize j = 0; j < d; j++)
    ret_row[j] = square > 0 ? (float) ((image[j] - mean) / sqrt (square)) : 0;
}

static gboolean
compare_all (const MixtureState *state, AssayArena *arena, Likeness *ret_likeness, GError **error)
{
  const gsize n = state->n_secrets, d = state->cols;
  float *rows = assay_arena_alloc (arena, n, d * sizeof (float), "mirror images", error);
  float *mirrored = assay_arena_alloc (arena, n, d * sizeof (float), "mirror images", error);
  const Likeness likeness
      = { state, assay_arena_alloc (arena, n, n * sizeof (float), "mirror images", error),
          assay_arena_alloc (arena, n, n * sizeof (float), "mirror images", error) };

  if (arena->has_failed)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    standardise (state->images + i * d, d, rows + i * d);
    mirror (&state->geometry, rows + i * d, mirrored + i * d);
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (rows, n, d), assay_view_of (rows, n, d),
                        likeness.as_is, n);
  assay_linalg_product (ASSAY_NT, assay_view_of (rows, n, d), assay_view_of (mirrored, n, d),
                        likeness.mirrored, n);
  *ret_likeness = likeness;
  return TRUE;
}

/* The image of largest fit that is in no group; n: none is left. */
static gsize
take_first (const gboolean *is_taken, const double *fits, gsize n)
{
  gsize best = n;

  for (gsize i = 0; i < n; i++)
    if (!is_taken[i] && (best == n || fits[i] > fits[best]))
      best = i;
  return best;
}

/* The next group, which image @first begins; whether a mirror image is in it. */
static gboolean
gather (const Likeness *likeness, gsize first, gboolean *is_taken, gboolean *is_turned,
        float *other, MixtureGroups *groups)
{
  float *image = groups->images + groups->n * likeness->state->cols;
  const MixtureState *state = likeness->state;
  const gsize n = state->n_secrets, d = state->cols;
  gboolean has_mirror = FALSE;
  gsize count = 0;

  for (gsize i = 0; i < n; i++) {
    const float as_is = i == first ? 1 : likeness->as_is[first * n + i];
    const float mirrored = i == first ? 0 : likeness->mirrored[first * n + i];
    const gboolean is_mirror = fabsf (mirrored) > fabsf (as_is);
    const float most = is_mirror ? mirrored : as_is;

    if (is_taken[i] || fabsf (most) <= ALIKE)
      continue;
    is_taken[i] = TRUE;
    groups->of[i] = groups->n;
    is_turned[i] = is_mirror;
    has_mirror |= is_mirror;
    if (fabsf (most) <= SAME)
      continue;
    count++;
    if (is_mirror)
      mirror (&state->geometry, state->images + i * d, other);
    else
      memcpy (other, state->images + i * d, d * sizeof *other);
    for (gsize j = 0; j < d; j++)
      image[j] += most < 0 ? -other[j] : other[j];
  }
  for (gsize j = 0; j < d; j++)
    image[j] /= (float) count;
  return has_mirror;
}

/* Each group once more, mirrored. */
static void
add_mirrored (const MixtureState *state, const gboolean *is_turned, MixtureGroups *groups)
{
  const gsize n = groups->n, d = state->cols;

  for (gsize i = 0; i < n; i++) {
    mirror (&state->geometry, groups->images + i * d, groups->images + (n + i) * d);
    groups->fits[n + i] = groups->fits[i];
  }
  for (gsize i = 0; i < state->n_secrets; i++)
    groups->of[i] += is_turned[i] ? n : 0;
}

double
mixture_orbits_gather (const MixtureState *state, const double *fits, MixtureGroups *ret_groups,
                       GError **error)
{
  const gsize m = state->n_secrets, d = state->cols;
  g_auto (AssayArena) arena = { 0 };
  g_autofree gboolean *is_taken = g_new0 (gboolean, m);
  g_autofree gboolean *is_turned = g_new0 (gboolean, m);
  g_autofree float *other = g_new (float, d);
  Likeness likeness;
  gsize n_mirrored = 0;

  if (!compare_all (state, &arena, &likeness, error))
    return -1;
  memset (ret_groups->images, 0, 2 * m * d * sizeof *ret_groups->images);
  ret_groups->n = 0;
  for (gsize first = take_first (is_taken, fits, m); first < m;
       first = take_first (is_taken, fits, m)) {
    n_mirrored += gather (&likeness, first, is_taken, is_turned, other, ret_groups) ? 1 : 0;
    ret_groups->first[ret_groups->n] = first;
    ret_groups->fits[ret_groups->n++] = fits[first];
  }
  add_mirrored (state, is_turned, ret_groups);
  return (double) n_mirrored / (double) ret_groups->n;
}
