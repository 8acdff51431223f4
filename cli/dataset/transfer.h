/* What libcurl and libarchive do: the bytes of an address, and members of archives. */
#pragma once

#include "cli/dataset/catalog.h"

/* Whether the program was built with libcurl and libarchive. */
extern const gboolean cli_can_transfer;

/* Appends to @fd, a file called @path that holds the first @have bytes of @file, what lacks; or
 * begins again where the server cannot go on. @timeout_s is for connecting, and for pauses in what
 * comes. On an error the file keeps what has come: ASSAY_ERROR_DATA (the address is wrong, or what
 * is there is not what was expected), ASSAY_ERROR_IO (it may work another time),
 * ASSAY_ERROR_CANCELLED. */
gboolean cli_transfer (const CatalogFile *file, const char *path, int fd, guint64 have,
                       guint timeout_s, GError **error);

/* Writes each of @members that is no file in @folder yet (with @may_replace: each) to @folder,
 * under its base name; nothing else of the archive is looked at, and no name in it decides where
 * anything is written. ASSAY_ERROR_DATA: no archive, or without one of them; ASSAY_ERROR_IO. */
gboolean cli_unpack (const char *archive, const char *const *members, const char *folder,
                     gboolean may_replace, GError **error);
