#include "core/network/kernels.h"

#include <glib.h>

#include "core/math/linalg.h"
#include "core/network/convolution.h"

const char *
assay_kernels_describe (void)
{
  static char *description;

  if (g_once_init_enter (&description))
    g_once_init_leave (&description, g_strdup_printf ("%s, %s", assay_linalg_describe (),
                                                      assay_convolution_describe ()));
  return description;
}
