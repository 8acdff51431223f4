/* Some members of a .tar.gz as files. */
#pragma once

#include <glib.h>

/* Writes each of @members that is no file in @folder yet (with @may_replace: each) to @folder,
 * under its base name; nothing else of the archive is looked at, and no name in it decides where
 * anything is written. ASSAY_ERROR_DATA: no archive, or without one of them; ASSAY_ERROR_IO. */
gboolean cli_unpack (const char *archive, const char *const *members, const char *folder,
                     gboolean may_replace, GError **error);
