/* Callbacks of descriptors that say one thing of the plugin's settings. */
#pragma once

#include <glib.h>

/* Defines the callback @name: @value, of `settings`, of type Settings. What else it is handed, and
 * has no use for, comes last:
 *   ASSAY_OF_SETTINGS (gsize, repeats, Majority, (gsize) settings->repeats)
 *   ASSAY_OF_SETTINGS (gboolean, is_wide, Majority, settings->k > 9, G_GNUC_UNUSED gsize cols) */
#define ASSAY_OF_SETTINGS(Type, name, Settings, value, ...)                                        \
  static Type name (gconstpointer data, ##__VA_ARGS__)                                             \
  {                                                                                                \
    const Settings *settings = data;                                                               \
                                                                                                   \
    return value;                                                                                  \
  }
