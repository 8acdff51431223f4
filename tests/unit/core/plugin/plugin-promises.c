#include "tests/unit/core/plugin/plugin-promises.h"

#include <string.h>

gboolean
plugin_is_text (const char *text)
{
  return text != NULL && strlen (text) > 3 && g_utf8_validate (text, -1, NULL)
         && strchr (text, '\n') == NULL;
}

gboolean
plugin_is_complete (const AssayPlugin *plugin)
{
  g_autoptr (AssaySettings) settings
      = assay_settings_new (plugin->parameters, plugin->settings_size);

  return assay_settings_check_complete (settings, NULL);
}
