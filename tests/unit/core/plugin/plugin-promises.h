/* What every plugin promises. */
#pragma once

#include "core/plugin/plugin.h"

/* Whether it is a line of text that says something. */
gboolean plugin_is_text (const char *text);

/* Whether its defaults can be played. Those of plugins that must be told a program to run cannot:
 * the suite exec of tests/cli plays them. */
gboolean plugin_is_complete (const AssayPlugin *plugin);
