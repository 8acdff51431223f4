/* Confinement of programs of others, by bubblewrap (bwrap).
 *
 * A confined program sees the file system read-only, with a /tmp of its own, a bare /dev and an
 * empty /run (where the sockets of the system's services are), and has no network, no other
 * processes in sight, and no capabilities. It can write to the folder of its request and to /tmp
 * alone. What else it may read is not limited. All that it started ends with it, and with Assay.
 *
 * Whether a program was confined stands in no result and no hash: one that keeps to its folder
 * gives the same with and without. */
#pragma once

#include <glib.h>

typedef enum {
  ASSAY_CONFINE_AUTO, /* where bubblewrap is installed and works */
  ASSAY_CONFINE_NEVER,
  ASSAY_CONFINE_REQUIRED, /* without it the program is not started */
} AssayConfine;

extern const char *const assay_confine_names[]; /* in this order; NULL ends */

/* The command for @words (of which the first is found) so that they run confined, and can write to
 * @folder and @scratch, absolute paths; @scratch is their /tmp. In @ret_command NULL: they are to
 * run as they are. Tried out once a process. ASSAY_ERROR_DATA: it is required and not possible. */
gboolean assay_confine_command (AssayConfine confine, char *const *words, const char *folder,
                                const char *scratch, GPtrArray **ret_command, GError **error);
