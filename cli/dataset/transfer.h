/* The bytes of an address, from where a partial file ends. */
#pragma once

#include "cli/dataset/catalog.h"

/* Whether the program was built with libcurl and libarchive. */
gboolean cli_transfer_is_there (void);

/* Appends to @fd, a file called @path that holds the first @have bytes of @file, what lacks; or
 * begins again where the server cannot go on. @timeout_s is for connecting, and for pauses in what
 * comes. On an error the file keeps what has come: ASSAY_ERROR_DATA (the address is wrong, or what
 * is there is not what was expected), ASSAY_ERROR_IO (it may work another time),
 * ASSAY_ERROR_CANCELLED. */
gboolean cli_transfer (const CatalogFile *file, const char *path, int fd, guint64 have,
                       guint timeout_s, GError **error);
