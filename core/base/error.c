/* The error domain of Assay. */
#include "core/base/error.h"

G_DEFINE_QUARK (assay-error-quark, assay_error)

void
assay_error_set (GError **error, AssayErrorCode code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error = g_error_new_valist (ASSAY_ERROR, (gint) code, format, arguments);
  va_end (arguments);
}
