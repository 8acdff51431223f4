/* No protection: the secrets themselves. The upper end of every privacy-utility curve, and the
 * case that an attack must win. */
#include "core/data/kinds/vectors.h"
#include "core/plugin/plugin.h"

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  AssayMatrix *vectors = assay_matrix_copy (secrets, error);

  (void) context;
  (void) ret_truth;
  if (vectors == NULL)
    return FALSE;
  assay_arrays_take (&ret_release->arrays, "vectors", assay_array_take_matrix (vectors));
  ASSAY_SET_PARAMETER (ret_release, AssayVectorsParameters, noise, ASSAY_NOISE_NONE);
  return TRUE;
}

ASSAY_DEFENSE (none, "none",
  .summary = "Release the secrets as they are",
  .reference = { "no protection", "the reference point of every comparison" },
  .produces = ASSAY_RELEASE_VECTORS,
  .protect = protect);
