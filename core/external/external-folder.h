/* External releases and guesses, which were made outside Assay: folders that a scenario names, in
 * the format of core/data/exchange.h. */
#pragma once

#include <glib.h>

#include "core/data/exchange.h"
#include "core/data/run-position.h"

/* What @folder may name of the position in a run. */
#define ASSAY_FOLDER_TRIAL "{trial}"
#define ASSAY_FOLDER_REPEAT "{repeat}"
#define ASSAY_FOLDER_DEFENSE "{defense}"

/* The path of the folder that @folder names at @position: {trial} becomes the number of the trial,
 * from 0, {repeat} that of the release, {defense} the name of the defense ('/' as '_'). Programs
 * that are audited do not see it from then on (core/data/secret-paths.h).
 * ASSAY_ERROR_DATA: no such folder, with every place that was looked at; unknown {words}; or the
 * folder does not say which repeat it is for, and one is asked for. */
char *assay_external_folder_find (const char *folder, const AssayRunPosition *position,
                                  GError **error);

/* Adds arrays and what the JSON file says of them to @checksum. */
void assay_external_hash (GChecksum *checksum, const char *what, const AssayArrays *arrays);
