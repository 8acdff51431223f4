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
  { .name = NULL },
};

static const AssayArraySpec truth[] = {
  { "codes", "nb", ASSAY_UINT8, TRUE, 0 }, /* before they were randomised */
  { .name = NULL },
};

static const AssayParam parameters[]
    = { ASSAY_PARAM_REAL (AssayCodesParameters, flip_probability, 0, 0, 1, "",
                          "With which each bit of a code was flipped"),
        ASSAY_PARAM_END };

/* Where the function is there, it says which rows it takes. */
static gsize
cols (const AssayRelease *release)
{
  const AssayArray *anchors = assay_arrays_get (&release->arrays, "anchors");
  const AssayArray *hidden = assay_arrays_get (&release->arrays, "hidden");
  const AssayArray *from
      = anchors != NULL ? anchors : assay_arrays_get (&release->arrays, "projection");

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
      && waves == NULL)
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
  return TRUE;
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
