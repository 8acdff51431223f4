/* Windows of public images. */
#include "attacks/mixtures/mixture-windows.h"

#include "core/base/error.h"

gsize
mixture_windows_count (gsize shift)
{
  return 2 * (2 * shift + 1) * (2 * shift + 1);
}

void
mixture_window_take (const AssayGeometry *geometry, gsize shift, gsize index, const float *image,
                     float *ret_window)
{
  const gsize places = 2 * shift + 1, place = index % (places * places);

  assay_mixture_window (geometry, (gint64) (place / places) - (gint64) shift,
                        (gint64) (place % places) - (gint64) shift, index >= places * places, image,
                        ret_window);
}

gboolean
mixture_windows_check (const AssayGeometry *geometry, gsize shift, GError **error)
{
  if (geometry->height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release does not say what images its rows are; expected its geometry");
  return shift <= MIN (geometry->height, geometry->width)
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "shift = %zu: images are %zu x %zu pixels; expected no more than their "
                        "shorter side",
                        shift, geometry->height, geometry->width);
}
