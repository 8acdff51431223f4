/* Libraries by the dynamic loader. */
#include "core/data/formats/late-library.h"

gboolean
assay_late_library_load (const char *soname, const char *const *names, gpointer *ret_addresses,
                         GError **error)
{
  GModule *module = g_module_open (soname, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);

  for (guint i = 0; module != NULL && names[i] != NULL; i++)
    if (!g_module_symbol (module, names[i], &ret_addresses[i]))
      module = NULL;
  if (module == NULL)
    return assay_fail (error, ASSAY_ERROR_IO,
                       "%s cannot be loaded: %s; expected the library that the program was built "
                       "with",
                       soname, g_module_error ());
  g_module_make_resident (module);
  return TRUE;
}
