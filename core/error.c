/* The error domain of Assay. */
#include "core/error.h"

G_DEFINE_QUARK (assay-error-quark, assay_error)

gboolean
assay_fail (GError **error, AssayErrorCode code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error = g_error_new_valist (ASSAY_ERROR, (gint) code, format, arguments);
  va_end (arguments);
  return FALSE;
}
