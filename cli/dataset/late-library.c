/* Libraries by the dynamic loader. */
#include "cli/dataset/late-library.h"

#include <gmodule.h>

#include "core/base/error.h"

gboolean
cli_late_library_load (const char *soname, const char *const *names, guint n_names,
                       gpointer *ret_addresses, GError **error)
{
  GModule *module;

  if (ret_addresses[0] != NULL)
    return TRUE;
  module = g_module_open (soname, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return assay_fail (error, ASSAY_ERROR_IO,
                       "%s cannot be loaded: %s; expected the library that the program was built "
                       "with",
                       soname, g_module_error ());
  g_module_make_resident (module);
  /* The first one last: it says that all are there. */
  for (guint i = n_names; i-- > 0;)
    if (!g_module_symbol (module, names[i], &ret_addresses[i]))
      return assay_fail (error, ASSAY_ERROR_IO,
                         "%s has no function %s; expected the library that the program was built "
                         "with",
                         soname, names[i]);
  return TRUE;
}
