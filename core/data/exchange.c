/* Releases, guesses and truths: what their arrays must be. Reading and writing folders is in
 * exchange-folder.c. */
#include "core/data/exchange.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/exchange-geometry.h"
#include "core/data/grant.h"
#include "core/math/hash-function.h"
#include "core/search/scan.h"

/* One array of a record: its dimensions are letters, equal letters mean equal sizes within the
 * record. */
typedef struct {
  const char *name;
  const char *dimensions;
  AssayType type;
  gboolean is_optional;
} ArraySpec;

#define MAX_ARRAYS 11

typedef struct {
  const char *kind;
  ArraySpec arrays[MAX_ARRAYS];
} RecordSpec;

/* In the order of the bits of AssayReleaseKind. */
static const RecordSpec releases[] = {
  { "vectors", { { "vectors", "nd", ASSAY_FLOAT32, FALSE } } },
  { "subspaces",
    { { "translation", "nd", ASSAY_FLOAT32, FALSE }, { "basis", "nmd", ASSAY_FLOAT32, FALSE } } },
  { "vector-sets",
    { { "sets", "nw", ASSAY_INT64, FALSE }, { "dictionary", "kd", ASSAY_FLOAT32, FALSE } } },
  { "statistics", { { "statistics", "nd", ASSAY_FLOAT32, FALSE } } },
  { "mixtures",
    { { "images", "Nd", ASSAY_FLOAT32, FALSE }, { "labels", "Nc", ASSAY_FLOAT32, TRUE } } },
  { "codes",
    { { "codes", "nb", ASSAY_UINT8, FALSE },
      { "mean", "f", ASSAY_FLOAT32, TRUE },
      { "projection", "cf", ASSAY_FLOAT32, TRUE },
      { "anchors", "fd", ASSAY_FLOAT32, TRUE },
      { "width", "1", ASSAY_FLOAT32, TRUE },
      { "waves", "c2", ASSAY_FLOAT32, TRUE } } },
};
static const RecordSpec guess_spec = {
  "guess",
  { { "estimates", "nd", ASSAY_FLOAT32, TRUE },
    { "adversarial", "na", ASSAY_INT64, TRUE },
    { "intersecting", "n", ASSAY_INT64, TRUE },
    { "considered", "nkd", ASSAY_FLOAT32, TRUE },
    { "forming", "nad", ASSAY_FLOAT32, TRUE },
    { "near", "nrd", ASSAY_FLOAT32, TRUE },
    { "candidates", "Nc", ASSAY_INT64, TRUE },
    { "pairs", "pt", ASSAY_INT64, TRUE },
    { "scores", "p", ASSAY_FLOAT32, TRUE },
    { "codes", "nb", ASSAY_UINT8, TRUE },
    { "recall", "qr", ASSAY_INT64, TRUE } },
};
static const RecordSpec truth_spec = {
  "truth",
  { { "secrets", "nd", ASSAY_FLOAT32, FALSE },
    { "groups", "n", ASSAY_INT64, TRUE },
    { "labels", "n", ASSAY_INT64, TRUE },
    { "adversarial", "na", ASSAY_INT64, TRUE },
    { "frames", "nf", ASSAY_FLOAT32, TRUE },
    { "sources", "Ns", ASSAY_INT64, TRUE },
    { "partners", "Np", ASSAY_INT64, TRUE },
    { "coefficients", "Nk", ASSAY_FLOAT32, TRUE },
    { "owners", "N", ASSAY_INT64, TRUE },
    { "codes", "nb", ASSAY_UINT8, TRUE },
    { "label-sets", "n", ASSAY_INT64, TRUE } },
};

static const RecordSpec *
release_spec (AssayReleaseKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (releases); i++)
    if ((guint) kind == 1u << i)
      return &releases[i];
  return NULL;
}

static void
arrays_init (AssayArrays *arrays)
{
  arrays->names = g_ptr_array_new_with_free_func (g_free);
  arrays->arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_array_free);
}

static void
arrays_clear (AssayArrays *arrays)
{
  g_ptr_array_unref (arrays->names);
  g_ptr_array_unref (arrays->arrays);
}

AssayRelease *
assay_release_new (AssayReleaseKind kind, const char *defense)
{
  AssayRelease *release = g_new0 (AssayRelease, 1);

  release->kind = kind;
  release->defense = g_strdup (defense);
  release->settings = g_strdup ("{}");
  release->scans = assay_scan_cache_new ();
  arrays_init (&release->arrays);
  return release;
}

void
assay_release_free (AssayRelease *release)
{
  if (release == NULL)
    return;
  arrays_clear (&release->arrays);
  g_free (release->defense);
  g_free (release->settings);
  assay_scan_cache_free (release->scans);
  g_free (release);
}

AssayGuess *
assay_guess_new (void)
{
  AssayGuess *guess = g_new0 (AssayGuess, 1);

  arrays_init (&guess->arrays);
  return guess;
}

void
assay_guess_free (AssayGuess *guess)
{
  if (guess == NULL)
    return;
  arrays_clear (&guess->arrays);
  g_free (guess);
}

AssayTruth *
assay_truth_new (void)
{
  AssayTruth *truth = g_new0 (AssayTruth, 1);

  arrays_init (&truth->arrays);
  return truth;
}

void
assay_truth_free (AssayTruth *truth)
{
  if (truth == NULL)
    return;
  arrays_clear (&truth->arrays);
  g_free (truth);
}

void
assay_arrays_take (AssayArrays *arrays, const char *name, AssayArray *array)
{
  for (guint i = 0; i < arrays->names->len; i++)
    if (g_str_equal (arrays->names->pdata[i], name)) {
      g_ptr_array_remove_index (arrays->names, i);
      g_ptr_array_remove_index (arrays->arrays, i);
      break;
    }
  g_ptr_array_add (arrays->names, g_strdup (name));
  g_ptr_array_add (arrays->arrays, array);
}

const AssayArray *
assay_arrays_get (const AssayArrays *arrays, const char *name)
{
  for (guint i = 0; i < arrays->names->len; i++)
    if (g_str_equal (arrays->names->pdata[i], name))
      return arrays->arrays->pdata[i];
  return NULL;
}

/* The dimensions of @array against those of @spec; @sizes collects what each letter stands for. */
static gboolean
check_array (const ArraySpec *spec, const AssayArray *array, gsize sizes[128], GError **error)
{
  g_autofree char *found = assay_array_describe (array);

  if (array->type != spec->type || array->n_dimensions != strlen (spec->dimensions))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "array '%s': expected %s of %" G_GSIZE_FORMAT " dimensions, found %s",
                       spec->name, assay_type_name (spec->type), strlen (spec->dimensions), found);
  for (guint i = 0; i < array->n_dimensions; i++) {
    gsize *size = &sizes[(guchar) spec->dimensions[i]];

    if (*size == G_MAXSIZE)
      *size = array->shape[i];
    if (*size != array->shape[i])
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "array '%s' is %s, but %c = %" G_GSIZE_FORMAT " by the arrays before it",
                         spec->name, found, spec->dimensions[i], *size);
  }
  if (array->type == ASSAY_FLOAT32
      && !assay_view_check_finite (assay_array_view (array), spec->name, error))
    return FALSE;
  return TRUE;
}

static gboolean
check_arrays (const RecordSpec *spec, const AssayArrays *arrays, GError **error)
{
  gsize sizes[128];
  guint n_known = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    sizes[i] = G_MAXSIZE;
  for (const ArraySpec *array = spec->arrays;
       array < spec->arrays + MAX_ARRAYS && array->name != NULL; array++) {
    const AssayArray *found = assay_arrays_get (arrays, array->name);

    if (found != NULL)
      n_known++;
    else if (array->is_optional)
      continue;
    else
      return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: array '%s' is missing", spec->kind,
                         array->name);
    if (!check_array (array, found, sizes, error)) {
      g_prefix_error (error, "%s: ", spec->kind);
      return FALSE;
    }
  }
  if (n_known != arrays->names->len)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: has arrays that it does not know",
                       spec->kind);
  if (sizes['n'] == 0 || sizes['d'] == 0 || sizes['N'] == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s is empty", spec->kind);
  return TRUE;
}

/* Rows of each basis have length 1 and are orthogonal, to what float32 can hold. */
static gboolean
check_orthonormal (const AssaySubspaces *subspaces, GError **error)
{
  const gsize m = subspaces->dimension, d = subspaces->cols;

  for (gsize s = 0; s < subspaces->count; s++)
    for (gsize i = 0; i < m; i++)
      for (gsize j = 0; j <= i; j++) {
        const float *a = subspaces->basis + (s * m + i) * d;
        const float *b = subspaces->basis + (s * m + j) * d;
        double product = 0;

        for (gsize c = 0; c < d; c++)
          product += (double) a[c] * b[c];
        if (fabs (product - (i == j)) > 1e-3)
          return assay_fail (error, ASSAY_ERROR_DATA,
                             "basis of secret %" G_GSIZE_FORMAT ": rows %" G_GSIZE_FORMAT
                             " and %" G_GSIZE_FORMAT " have the inner product %g, expected %d",
                             s, j, i, product, i == j);
      }
  return TRUE;
}

/* Members are rows of the dictionary, and no row stands in a set twice. */
static gboolean
check_sets (const AssayArray *sets, gsize dictionary, GError **error)
{
  const gint64 *members = assay_array_int64 (sets);
  const gsize w = sets->shape[1];

  for (gsize i = 0; i < sets->shape[0]; i++)
    for (gsize j = 0; j < w; j++) {
      const gint64 member = members[i * w + j];

      if (member < 0 || (guint64) member >= dictionary)
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "set of secret %" G_GSIZE_FORMAT ": member %" G_GINT64_FORMAT
                           " is no row of the dictionary, which has %" G_GSIZE_FORMAT,
                           i, member, dictionary);
      for (gsize k = 0; k < j; k++)
        if (members[i * w + k] == member)
          return assay_fail (error, ASSAY_ERROR_DATA,
                             "set of secret %" G_GSIZE_FORMAT ": member %" G_GINT64_FORMAT
                             " stands in it twice",
                             i, member);
    }
  return TRUE;
}

/* As many bytes as the bits take, and no bit set beyond them. */
static gboolean
check_codes (const AssayArray *codes, gsize bits, GError **error)
{
  const gsize bytes = codes->shape[1];
  const guint8 beyond = bits % 8 > 0 ? (guint8) (0xff << (bits % 8)) : 0;

  if (bits < 1 || bits > ASSAY_CODE_MAX_BITS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "codes of %" G_GSIZE_FORMAT " bits; expected 1 to %d", bits,
                       ASSAY_CODE_MAX_BITS);
  if (bytes != assay_code_bytes (bits))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "codes of %" G_GSIZE_FORMAT " bits have %" G_GSIZE_FORMAT
                       " bytes; expected %" G_GSIZE_FORMAT,
                       bits, bytes, assay_code_bytes (bits));
  for (gsize i = 0; beyond != 0 && i < codes->shape[0]; i++)
    if (codes->data[(i + 1) * bytes - 1] & beyond)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "code %" G_GSIZE_FORMAT " has a bit set beyond its %" G_GSIZE_FORMAT, i,
                         bits);
  return TRUE;
}

gboolean
assay_release_check (const AssayRelease *release, GError **error)
{
  const RecordSpec *spec = release_spec (release->kind);
  AssaySubspaces subspaces;

  if (spec == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "release of no known kind");
  if (!check_arrays (spec, &release->arrays, error)) {
    g_prefix_error (error, "release of kind ");
    return FALSE;
  }
  /* Numbers made of all secrets together are no image, whatever the secrets were. */
  if (release->kind == ASSAY_RELEASE_CODES)
    return check_codes (assay_arrays_get (&release->arrays, "codes"), release->bits, error)
           && assay_hash_function_check (release, error);
  if (release->kind != ASSAY_RELEASE_STATISTICS
      && !assay_geometry_check (&release->geometry, assay_release_cols (release), error))
    return FALSE;
  if (release->kind == ASSAY_RELEASE_STATISTICS && assay_release_count (release) != 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "statistics has %" G_GSIZE_FORMAT " rows; expected 1, of all secrets",
                       assay_release_count (release));
  if (release->kind == ASSAY_RELEASE_VECTOR_SETS)
    return check_sets (assay_arrays_get (&release->arrays, "sets"),
                       assay_arrays_get (&release->arrays, "dictionary")->shape[0], error);
  if (release->kind != ASSAY_RELEASE_SUBSPACES)
    return TRUE;
  subspaces = assay_release_subspaces (release);
  if (subspaces.dimension > subspaces.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "basis has %" G_GSIZE_FORMAT " rows in dimension %" G_GSIZE_FORMAT,
                       subspaces.dimension, subspaces.cols);
  return check_orthonormal (&subspaces, error);
}

gboolean
assay_guess_check (const AssayGuess *guess, GError **error)
{
  return check_arrays (&guess_spec, &guess->arrays, error);
}

/* Numbers of secrets; -1: of none of them. */
static gboolean
check_members (const AssayArrays *arrays, const char *name, GError **error)
{
  const AssayArray *array = assay_arrays_get (arrays, name);
  const gint64 n = (gint64) assay_arrays_get (arrays, "secrets")->shape[0];

  for (gsize i = 0; array != NULL && i < assay_array_count (array); i++) {
    const gint64 secret = assay_array_int64 (array)[i];

    if (secret < -1 || secret >= n)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "truth: array '%s' names secret %" G_GINT64_FORMAT
                         ", but there are %" G_GINT64_FORMAT,
                         name, secret, n);
  }
  return TRUE;
}

gboolean
assay_truth_check (const AssayTruth *truth, GError **error)
{
  return check_arrays (&truth_spec, &truth->arrays, error)
         && check_members (&truth->arrays, "sources", error)
         && check_members (&truth->arrays, "owners", error)
         && assay_geometry_check (&truth->geometry,
                                  assay_arrays_get (&truth->arrays, "secrets")->shape[1], error);
}

/* Whether who holds @grants may see the array @name. */
static gboolean
is_granted (const AssayRelease *release, const char *name, guint grants)
{
  if (release->kind == ASSAY_RELEASE_CODES)
    return g_str_equal (name, "codes") || (grants & ASSAY_GRANT_HASH_FUNCTION);
  return !g_str_equal (name, "labels") || (grants & ASSAY_GRANT_LABELS);
}

gboolean
assay_release_hides (const AssayRelease *release, guint grants)
{
  for (guint i = 0; i < release->arrays.names->len; i++)
    if (!is_granted (release, release->arrays.names->pdata[i], grants))
      return TRUE;
  return FALSE;
}

AssayRelease *
assay_release_granted (const AssayRelease *release, guint grants)
{
  AssayRelease *granted = assay_release_new (release->kind, release->defense);

  g_free (granted->settings);
  granted->settings = g_strdup (release->settings);
  granted->is_unit_norm = release->is_unit_norm;
  granted->geometry = release->geometry;
  granted->bits = release->bits;
  for (guint i = 0; i < release->arrays.names->len; i++)
    if (is_granted (release, release->arrays.names->pdata[i], grants))
      assay_arrays_take (&granted->arrays, release->arrays.names->pdata[i],
                         assay_array_copy (release->arrays.arrays->pdata[i]));
  return granted;
}

static const AssayArray *
first_array (const AssayRelease *release)
{
  return assay_arrays_get (&release->arrays, release_spec (release->kind)->arrays[0].name);
}

gsize
assay_release_count (const AssayRelease *release)
{
  return first_array (release)->shape[0];
}

gsize
assay_release_cols (const AssayRelease *release)
{
  const AssayArray *dictionary = assay_arrays_get (&release->arrays, "dictionary");

  if (release->kind == ASSAY_RELEASE_CODES) {
    const AssayArray *anchors = assay_arrays_get (&release->arrays, "anchors");
    const AssayArray *from
        = anchors != NULL ? anchors : assay_arrays_get (&release->arrays, "projection");

    return from != NULL ? from->shape[1] : 0;
  }
  return (dictionary != NULL ? dictionary : first_array (release))->shape[1];
}

AssayScale
assay_release_scale (const AssayRelease *release)
{
  return release->is_unit_norm ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE;
}

AssaySubspaces
assay_release_subspaces (const AssayRelease *release)
{
  const AssayArray *basis = assay_arrays_get (&release->arrays, "basis");
  const AssayView points = assay_array_view (first_array (release));

  g_assert (release->kind & (ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES));
  return (AssaySubspaces){
    .count = points.rows,
    .dimension = basis != NULL ? basis->shape[1] : 0,
    .cols = points.cols,
    .translation = points.data,
    .basis = basis != NULL ? (const float *) (gconstpointer) basis->data : NULL,
  };
}

const char *
assay_release_kind_name (AssayReleaseKind kind)
{
  const RecordSpec *spec = release_spec (kind);

  return spec != NULL ? spec->kind : "none";
}

AssayReleaseKind
assay_release_kind_from_name (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (releases); i++)
    if (g_str_equal (releases[i].kind, name))
      return (AssayReleaseKind) (1u << i);
  return ASSAY_RELEASE_NONE;
}

char *
assay_release_kinds_describe (guint kinds)
{
  GString *text = g_string_new (NULL);
  guint left = 0;

  for (guint i = 0; i < G_N_ELEMENTS (releases); i++)
    left += (kinds >> i) & 1;
  for (guint i = 0; i < G_N_ELEMENTS (releases); i++)
    if (kinds & (1u << i)) {
      left--;
      g_string_append_printf (text, "%s%s", releases[i].kind,
                              left > 1    ? ", "
                              : left == 1 ? " or "
                                          : "");
    }
  return g_string_free (text, FALSE);
}
