/* Where the folders of requests to programs of others are (core/external/exec-folder.h): in one
 * folder of this user's alone, below that of temporary files (TMPDIR). What confines a program
 * covers it as a whole, and so the requests of all other programs that run at the same time, be
 * they of this run, of its workers or of other runs of this user, and those that were left by a run
 * that was killed. It is there as long as something is in it. */
#pragma once

#include <glib.h>

/* Its name, without links on the way to it. */
char *assay_request_place (void);

/* A new folder in it, of mode 0700 and with a name that was not there before. ASSAY_ERROR_IO, where
 * another user made the place, too. */
char *assay_request_place_add (GError **error);

/* Removes that folder from disk, with all that is in it, and the place after the last of them. */
void assay_request_place_remove (const char *folder);
