/* Confinement of programs of others: bubblewrap (bwrap) around assay-confine (confine-start.c).
 *
 * A confined program sees the file system read-only, with a /tmp of its own, a bare /dev and an
 * empty /run (where the sockets of the system's services are), and has no network, no other
 * processes in sight, and no capabilities. It can write to the folder of its request, /tmp and
 * /dev/shm alone: to nothing elsewhere by Landlock, FIFOs included, and by seccomp to no socket of
 * the file system. What this process said to be secret (core/data/secret-paths.h) is not there,
 * unless the program's own command names that file (hidden-words.h): the data of the scenario's
 * datasets, and the folder that results go to. What else it may read is not limited. All that it
 * started ends with it, and with Assay.
 *
 * Where bubblewrap is missing or does not work, assay-confine alone keeps it from writing elsewhere
 * and from all sockets, but not from reading, nor from seeing other processes.
 *
 * Whether a program was confined stands in no result and no hash: one that keeps to its folder
 * gives the same with and without. It stands in run.json, in the report and in the terminal. */
#pragma once

#include <glib.h>

typedef enum {
  ASSAY_CONFINE_AUTO, /* by what is installed and works */
  ASSAY_CONFINE_NEVER,
  ASSAY_CONFINE_REQUIRED, /* without bubblewrap the program is not started */
} AssayConfine;

/* Of the environment: "required" makes that of `auto`, and refuses `never`, so that whoever audits
 * need not read the settings of a scenario that another wrote. */
#define ASSAY_CONFINE_VARIABLE "ASSAY_CONFINE"

extern const char *const assay_confine_names[]; /* in this order; NULL ends */

/* The command for @words (of which the first is found) so that they run confined, and can write to
 * @folder and @scratch, absolute paths; @scratch is their /tmp. In @ret_command NULL: they are to
 * run as they are. Tried out once a process. ASSAY_ERROR_DATA: it is required and not possible. */
gboolean assay_confine_command (AssayConfine confine, char *const *words, const char *folder,
                                const char *scratch, GPtrArray **ret_command, GError **error);

/* What confines a program here, in words: "bubblewrap, Landlock, seccomp". Where nothing does, it
 * begins with ASSAY_NOT_CONFINED and ends with the reason. */
char *assay_confine_describe (AssayConfine confine);

#define ASSAY_NOT_CONFINED "not confined"
