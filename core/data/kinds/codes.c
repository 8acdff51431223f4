/* Releases of kind codes: the bits of a hash in place of each secret, and it may be the hash
 * function. */
#include "core/data/kinds/codes.h"

#include "core/base/error.h"
#include "core/data/codes.h"
#include "core/data/grant.h"

static const AssayArraySpec arrays[] = {
  { "codes", "nb", ASSAY_UINT8, FALSE, 0 },
  { "mean", "f", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "projection", "cf", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "anchors", "fd", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "width", "1", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "hidden", "fh", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "waves", "c2", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "picture", "3", ASSAY_INT64, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "kernels1", "ij", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "kernels2", "kl", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "kernels3", "mo", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { .name = NULL },
};

const char *const assay_codes_kernels[ASSAY_CODES_MAX_KERNELS]
    = { "kernels1", "kernels2", "kernels3" };

#define MAX_SIDE 65536 /* of an image */
#define MAX_CHANNELS 64

static const AssayArraySpec truth[] = {
  { "codes", "nb", ASSAY_UINT8, TRUE, 0 }, /* before they were randomised */
  { .name = NULL },
};

static const AssayParam parameters[]
    = { ASSAY_PARAM_REAL (AssayCodesParameters, flip_probability, 0, 0, 1, "",
                          "With which each bit of a code was flipped"),
        ASSAY_PARAM_END };

/* Height, width and channels of the images that the function takes; NULL: it does not say, or
 * nothing that can be. */
static const gint64 *
picture_of (const AssayRelease *release)
{
  static const gint64 most[] = { MAX_SIDE, MAX_SIDE, MAX_CHANNELS };
  const AssayArray *picture = assay_arrays_get (&release->arrays, "picture");
  const gint64 *sides = picture != NULL ? (const gint64 *) (gconstpointer) picture->data : NULL;

  if (sides == NULL || picture->shape[0] != G_N_ELEMENTS (most))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (most); i++)
    if (sides[i] < 1 || sides[i] > most[i])
      return NULL;
  return sides;
}

/* Where the function is there, it says which rows it takes. */
static gsize
cols (const AssayRelease *release)
{
  const AssayArray *anchors = assay_arrays_get (&release->arrays, "anchors");
  const AssayArray *hidden = assay_arrays_get (&release->arrays, "hidden");
  const AssayArray *from
      = anchors != NULL ? anchors : assay_arrays_get (&release->arrays, "projection");

  if (picture_of (release) != NULL)
    return (gsize) (picture_of (release)[0] * picture_of (release)[1] * picture_of (release)[2]);
  if (hidden != NULL)
    return hidden->shape[1] - 1;
  return from != NULL ? from->shape[1] : 0;
}

gboolean
assay_codes_check (const AssayRelease *release, const char *array, const char *before,
                   GError **error)
{
  const AssayArray *codes = assay_arrays_get (&release->arrays, array);
  const gsize bytes = codes->shape[1], bits = release->bits;
  const guint8 beyond = bits % 8 > 0 ? (guint8) (0xff << (bits % 8)) : 0;

  if (bits < 1 || bits > ASSAY_CODE_MAX_BITS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "codes of %zu bits; expected 1 to %d", bits,
                       ASSAY_CODE_MAX_BITS);
  if (bytes != assay_code_bytes (bits))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "codes of %zu bits have %zu bytes; expected %zu", bits, bytes,
                       assay_code_bytes (bits));
  for (gsize i = 0; beyond != 0 && i < codes->shape[0]; i++)
    if (codes->data[(i + 1) * bytes - 1] & beyond)
      return assay_fail (error, ASSAY_ERROR_DATA, "%scode %zu has a bit set beyond its %zu", before,
                         i, bits);
  return TRUE;
}

/* Layer after layer, from what `picture` says to the columns of `hidden`. */
static gboolean
check_kernels (const AssayRelease *release, GError **error)
{
  const AssayArray *hidden = assay_arrays_get (&release->arrays, "hidden");
  const gint64 *sides = picture_of (release);
  gsize height, width, channels;

  if (assay_arrays_get (&release->arrays, "picture") == NULL || hidden == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: expected picture, kernels1 and hidden together");
  if (sides == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: expected picture to be a height and a width of 1 to %d "
                       "pixels, and 1 to %d channels",
                       MAX_SIDE, MAX_CHANNELS);
  height = (gsize) sides[0];
  width = (gsize) sides[1];
  channels = (gsize) sides[2];
  for (guint l = 0; l < ASSAY_CODES_MAX_KERNELS; l++) {
    const AssayArray *kernels = assay_arrays_get (&release->arrays, assay_codes_kernels[l]);

    if (kernels == NULL && l > 0)
      continue;
    if (kernels == NULL
        || (l > 0 && assay_arrays_get (&release->arrays, assay_codes_kernels[l - 1]) == NULL))
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "hash function: expected kernels1, kernels2, kernels3 without gaps");
    if (kernels->shape[1] != 9 * channels + 1)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "hash function: %s has %zu columns; expected %zu, 9 for each of %zu "
                         "channels and the bias",
                         assay_codes_kernels[l], kernels->shape[1], 9 * channels + 1, channels);
    height = assay_codes_halved (height);
    width = assay_codes_halved (width);
    channels = kernels->shape[0];
  }
  if (hidden->shape[1] != height * width * channels + 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: hidden has %zu columns; expected %zu, the numbers of %zu x "
                       "%zu pixels of %zu channels and the bias",
                       hidden->shape[1], height * width * channels + 1, height, width, channels);
  return TRUE;
}

static gboolean
has_kernels (const AssayRelease *release)
{
  gboolean has_any = assay_arrays_get (&release->arrays, "picture") != NULL;

  for (guint l = 0; l < ASSAY_CODES_MAX_KERNELS; l++)
    has_any = has_any || assay_arrays_get (&release->arrays, assay_codes_kernels[l]) != NULL;
  return has_any;
}

gboolean
assay_codes_check_function (const AssayRelease *release, GError **error)
{
  const AssayArray *mean = assay_arrays_get (&release->arrays, "mean");
  const AssayArray *projection = assay_arrays_get (&release->arrays, "projection");
  const AssayArray *anchors = assay_arrays_get (&release->arrays, "anchors");
  const AssayArray *width = assay_arrays_get (&release->arrays, "width");
  const AssayArray *hidden = assay_arrays_get (&release->arrays, "hidden");
  const AssayArray *waves = assay_arrays_get (&release->arrays, "waves");

  if (mean == NULL && projection == NULL && anchors == NULL && width == NULL && hidden == NULL
      && waves == NULL && !has_kernels (release))
    return TRUE;
  if (mean == NULL || projection == NULL || (anchors == NULL) != (width == NULL))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: expected mean and projection, and anchors with a width or "
                       "neither");
  if (projection->shape[0] != release->bits)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: projection has %zu rows; expected one for each of %zu bits",
                       projection->shape[0], release->bits);
  if (width != NULL && (width->shape[0] != 1 || !(assay_array_view (width).data[0] > 0)))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: expected width to be one number above 0");
  if (hidden != NULL && (anchors != NULL || hidden->shape[1] < 2))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: expected hidden to have a column for each number of a row "
                       "and one more, and no anchors beside it");
  if (waves != NULL && waves->shape[1] != 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "hash function: waves has %zu columns; expected 2, frequency and phase",
                       waves->shape[1]);
  return !has_kernels (release) || check_kernels (release, error);
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  return assay_codes_check (release, "codes", "", error)
         && assay_codes_check_function (release, error);
}

/* ---- Numbers: each bit, as 1 or -1 ---- */

static gsize
count_numbers (const AssayRelease *release, G_GNUC_UNUSED gsize n_probes)
{
  return release->bits;
}

static void
numbers (const AssayRelease *release, gsize item, G_GNUC_UNUSED AssayView probes,
         float *ret_numbers)
{
  const AssayArray *codes = assay_arrays_get (&release->arrays, "codes");
  const guint8 *code = codes->data + item * codes->shape[1];

  for (gsize j = 0; j < release->bits; j++)
    ret_numbers[j] = code[j / 8] >> (j % 8) & 1 ? 1 : -1;
}

const AssayKind assay_kind_codes = {
  .arrays = arrays,
  .truth = truth,
  .parameters = parameters,
  .parameters_size = sizeof (AssayCodesParameters),
  .items = ASSAY_ITEM_OF_EACH_SECRET,
  .has_bits = TRUE,
  .cols = cols,
  .check = check,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
