/* A hash function of a modality maps its columns x to bits: W_2 (relu (W_1 (x, 1)), 1) > 0, or
 * W_1 (x, 1) > 0 where it has one layer; standardisation of columns is folded into W_1. */
#include "core/data/kinds/paired-codes.h"

#include "core/base/error.h"
#include "core/data/codes.h"
#include "core/data/grant.h"
#include "core/data/kinds/codes.h"

static const AssayArraySpec arrays[] = {
  { "image-codes", "nb", ASSAY_UINT8, FALSE, 0 },
  { "text-codes", "nb", ASSAY_UINT8, FALSE, 0 },
  { "image-layer1", "ij", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "image-layer2", "kl", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "text-layer1", "pq", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { "text-layer2", "kr", ASSAY_FLOAT32, TRUE, ASSAY_GRANT_HASH_FUNCTION },
  { .name = NULL },
};

AssayPairedCodes
assay_release_paired_codes (const AssayRelease *release)
{
  const AssayArray *first = assay_arrays_get (&release->arrays, "image-codes");

  return (AssayPairedCodes){
    .n = first->shape[0],
    .bits = release->bits,
    .bytes = first->shape[1],
    .first = first->data,
    .second = assay_arrays_get (&release->arrays, "text-codes")->data,
  };
}

/* ---- Checks ---- */

static gboolean
check_function (const AssayRelease *release, const char *modality, GError **error)
{
  g_autofree char *first_name = g_strdup_printf ("%s-layer1", modality);
  g_autofree char *second_name = g_strdup_printf ("%s-layer2", modality);
  const AssayArray *first = assay_arrays_get (&release->arrays, first_name);
  const AssayArray *second = assay_arrays_get (&release->arrays, second_name);

  if (first == NULL)
    return second == NULL
           || assay_fail (error, ASSAY_ERROR_MISMATCH, "expected %s beside %s", first_name,
                          second_name);
  if (second == NULL)
    return first->shape[0] == release->bits
           || assay_fail (error, ASSAY_ERROR_MISMATCH,
                          "%s has %zu rows; expected one for each of %zu bits", first_name,
                          first->shape[0], release->bits);
  return (second->shape[0] == release->bits && second->shape[1] == first->shape[0] + 1)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s is %zu x %zu; expected %zu x %zu, a row for each bit and a column for "
                        "each row of %s and one",
                        second_name, second->shape[0], second->shape[1], release->bits,
                        first->shape[0] + 1, first_name);
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  return assay_codes_check (release, "image-codes", "image-codes: ", error)
         && assay_codes_check (release, "text-codes", "text-codes: ", error)
         && check_function (release, "image", error) && check_function (release, "text", error);
}

/* Who looks at the release compares codes, not rows. */
static gsize
cols (G_GNUC_UNUSED const AssayRelease *release)
{
  return 0;
}

/* ---- Numbers: each bit of both codes, as 1 or -1 ---- */

static gsize
count_numbers (const AssayRelease *release, G_GNUC_UNUSED gsize n_probes)
{
  return 2 * release->bits;
}

static void
numbers (const AssayRelease *release, gsize item, G_GNUC_UNUSED AssayView probes,
         float *ret_numbers)
{
  const AssayPairedCodes codes = assay_release_paired_codes (release);

  for (gsize j = 0; j < 2 * codes.bits; j++) {
    const guint8 *code = (j < codes.bits ? codes.first : codes.second) + item * codes.bytes;

    ret_numbers[j] = assay_code_bit (code, j % codes.bits) ? 1 : -1;
  }
}

const AssayKind assay_kind_paired_codes = {
  .arrays = arrays,
  .items = ASSAY_ITEM_OF_EACH_SECRET,
  .has_bits = TRUE,
  .cols = cols,
  .check = check,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
