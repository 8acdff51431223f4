/* One of the arrays that a file holds by name. */
#pragma once

#include <glib.h>

/* The place of @wanted among @names; of the only one, if none is wanted (NULL). ASSAY_ERROR_DATA
 * names all there are. */
gboolean assay_array_choose (const GPtrArray *names, const char *wanted, guint *ret_index,
                             GError **error);
