/* Whose code a plugin compiled elsewhere is: it runs in this process, with all that its user may
 * do, and nothing confines it (docs/security.md). */
#pragma once

#include <glib.h>

/* That nobody but the user of this process and root can change the file @path, which is absolute:
 * neither it nor any folder on the way to it is another user's, or writable by others. The user's
 * own group counts as the user, because many systems give every user one; in a folder with the
 * sticky bit, as /tmp is, others cannot replace what is not theirs. ASSAY_ERROR_DATA names what is
 * wrong. */
gboolean assay_module_check_trust (const char *path, GError **error);
