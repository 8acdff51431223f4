/* How a program of others plays a defense or an attack: through a folder.
 *
 * The folder is private (mode 0700), lies where temporary files do (request-place.h), and is the
 * program's last argument. In it stand
 *   request.json  { "format": "assay-request/1", "role": "defense", "attack" or "mechanism",
 *                   "settings": text that the scenario passes on, "set": { NAME: VALUE } where
 *                   that is words NAME=VALUE (set.NAME in the scenario), "seed": 0 .. 2^53 - 1,
 *                   "key": the same, of a defense: what one release draws once for all its secrets
 *                   comes from it, and the rest from the seed (core/plugin/defense.h),
 *                   "n": secrets (attack: released items), "d": numbers in one (0: the release does
 *                   not say), "geometry" (as in release.json), "kind": of the release,
 *                   "grants": [what an attack may know, beside the release],
 *                   "game": of an attack, "attribute_names": [of the columns of attributes, in the
 *                   game infer, where they have names], "count": runs of a mechanism, "outputs":
 *                   numbers that one of them puts out,
 *                   "arrays": { name: file of each array } }
 *   NAME.npy      those arrays; of a defense secrets (n x d float32) and what it uses, of an attack
 *                 what it was granted, and nothing else
 *   release/      what an attack is to attack (assay-release/1)
 *   pairs/        of an attack that is granted them: rows of its own beside what was released of
 *                 them, as 0/release and 0/truth, 1/release and so on (core/plugin/pairs.h)
 *   crossed/      of the game cross, the other release
 *   shadows/      of the games member and cross, where it may run the defense: releases that it
 *                 learns from (attacks/external/exec.c)
 *   key/          of a defense that an attacker runs on rows of their own, where its key was
 *                 granted: the release that has it, for programs that learn something from the
 *                 secrets and release that; others need not look at it
 * The program writes release/ (a defense) or guess/ (an attack; assay-guess/1) into it, as
 * core/data/exchange.h describes them, and ends with status 0. These may hold plain files alone. As
 * a mechanism it is given input.npy (n x d float32), runs on it count times, each time afresh, and
 * writes outputs.npy (count x outputs). What is read back is copied into memory, so that nothing
 * which still runs can change it, and the folder is removed. Messages name files relative to it:
 * they are the same in every run. Beside it stands an empty folder for the program's temporary
 * files, which are removed with it.
 *
 * The program is confined by what is installed and works (confine.h), unless the setting `confine`
 * says otherwise, and has of the environment what child-process.c lists. */
#pragma once

#include <glib.h>

#include "core/base/param.h"
#include "core/base/rng.h"
#include "core/data/exchange.h"
#include "core/data/rows.h"
#include "core/external/confine.h"
#include "core/plugin/pairs.h"

/* The settings that both plugins have, as the first member of their own struct. */
typedef struct {
  char *command;
  double time_limit;
  gint64 memory_limit;
  gint64 file_limit;
  gint64 process_limit;
  char *settings;
  guint confine;      /* AssayConfine */
  const char *folder; /* of the scenario, interned; NULL: none. No setting: see assay_exec_locate */
} AssayExec;

#define ASSAY_EXEC_PARAMETERS                                                                      \
  ASSAY_PARAM_STRING (AssayExec, command, NULL,                                                    \
                      "The program and its arguments, split into words without a shell; files "    \
                      "are looked for in the scenario's folder, then in the working folder. "      \
                      "The folder of the request is added as the last argument"),                  \
      ASSAY_PARAM_REAL (AssayExec, time_limit, 600, 0.01, 1e6, "s",                                \
                        "Time after which the program is killed"),                                 \
      ASSAY_PARAM_INT (AssayExec, memory_limit, 0, 0, 1e7, "MiB",                                  \
                       "Private memory that each of its processes may have (RLIMIT_DATA), and "    \
                       "that all of them may have together; 0: no limit"),                         \
      ASSAY_PARAM_INT (AssayExec, file_limit, 4096, 1, 1e7, "MiB",                                 \
                       "Largest size of a file that it writes (RLIMIT_FSIZE), and of all files "   \
                       "in its folder together"),                                                  \
      ASSAY_PARAM_INT (AssayExec, process_limit, 1024, 1, 1e6, NULL,                               \
                       "The most processes and threads that it may have at a time",                \
                       ASSAY_PARAM_EXTRA),                                                         \
      ASSAY_PARAM_STRING (AssayExec, settings, "", "Text that is passed on to the program"),       \
      ASSAY_PARAM_CHOICE (AssayExec, confine, ASSAY_CONFINE_AUTO, assay_confine_names,             \
                          "Whether it is kept from the network, from data and results, and from "  \
                          "writing elsewhere; auto: with what is installed and works",             \
                          ASSAY_PARAM_EXTRA)

typedef struct _AssayExecFolder AssayExecFolder;

typedef struct {
  const char *role;
  AssayStreamKey stream; /* of which the seed is drawn */
  AssayStreamKey key;    /* and the key of a release, of a defense */
  gsize n, cols;
  const AssayGeometry *geometry;
  AssayReleaseKind kind;  /* of a mechanism NONE */
  guint grants;           /* of an attack */
  const char *game;       /* of an attack, as its setting names it */
  const char *const *attribute_names; /* of its game infer; NULL: they have none */
  gsize count, n_outputs; /* of a mechanism */
} AssayExecRequest;

/* ASSAY_ERROR_PARAMETER for a command that cannot be split. A command that is not given yet (NULL)
 * is for the scenario to refuse. */
gboolean assay_exec_check (const AssayExec *exec, GError **error);

/* The plugins' callbacks for settings that name files (core/plugin/plugin.h). */
void assay_exec_locate (AssayExec *exec, const char *folder);
GPtrArray *assay_exec_files (const AssayExec *exec);

/* A folder for one request; NULL with ASSAY_ERROR_IO. Freeing it removes it from disk. */
AssayExecFolder *assay_exec_folder_new (const AssayExecRequest *request, const AssayExec *exec,
                                        GError **error);
ASSAY_DECLARE_FREE (AssayExecFolder, assay_exec_folder_free)

/* Each writes NAME.npy , a release the folder NAME. ASSAY_ERROR_IO. */
gboolean assay_exec_folder_add_view (AssayExecFolder *folder, const char *name, AssayView view,
                                     GError **error);
gboolean assay_exec_folder_add_rows (AssayExecFolder *folder, const char *name,
                                     const AssayRows *rows, GError **error); /* NULL: nothing */
gboolean assay_exec_folder_add_numbers (AssayExecFolder *folder, const char *name,
                                        const gint64 *numbers, gsize n, GError **error);
gboolean assay_exec_folder_add_array (AssayExecFolder *folder, const char *name,
                                      const AssayArray *array, GError **error);
gboolean assay_exec_folder_add_release (AssayExecFolder *folder, const char *name,
                                        const AssayRelease *release, GError **error);
/* The folder pairs/, as assay_pairs_write has it. */
gboolean assay_exec_folder_add_pairs (AssayExecFolder *folder, const AssayPairs *pairs,
                                      GError **error); /* NULL: nothing */

/* Write request.json, run the program and read what it wrote. NULL with the error of the program
 * (core/external/child-process.h) or ASSAY_ERROR_DATA that names the file, with its last lines. */
AssayRelease *assay_exec_folder_run_defense (AssayExecFolder *folder, GError **error);
AssayGuess *assay_exec_folder_run_attack (AssayExecFolder *folder, GError **error);
/* outputs.npy, whatever it holds: the caller looks at type, shape and values. */
AssayArray *assay_exec_folder_run_mechanism (AssayExecFolder *folder, GError **error);
