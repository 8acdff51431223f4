/* Releases and guesses that were made elsewhere: folders that a scenario names, in the format of
 * core/data/exchange.h. */
#pragma once

#include <glib.h>

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* Which release of a run is at hand: what the folder of one made elsewhere is told by. Zeroed where
 * there is no run: a folder without {trial}, {repeat} and {defense} is found from the working
 * folder. */
typedef struct {
  const char *const *folders; /* where relative names are looked for, in order; NULL ends */
  guint trial;
  gsize repeat;        /* 0: the release that is attacked; otherwise a further one */
  const char *defense; /* its name in the tables; NULL: not known */
  gboolean is_tuning;  /* of the secrets set apart for tuning */
} AssayPlace;

/* The places that @folder may name. */
#define ASSAY_PLACE_TRIAL "{trial}"
#define ASSAY_PLACE_REPEAT "{repeat}"
#define ASSAY_PLACE_DEFENSE "{defense}"

/* The path of the folder that @folder names at @place: {trial} becomes the trial's number from 0,
 * {repeat} that of the release, {defense} the name of the defense ('/' as '_').
 * ASSAY_ERROR_DATA: no such folder, with every place that was looked at; unknown {words}; or the
 * folder does not say which repeat it is for, and one is asked for. */
char *assay_elsewhere_find (const char *folder, const AssayPlace *place, GError **error);

/* Adds arrays and what the JSON file says of them to @checksum. */
void assay_elsewhere_hash (GChecksum *checksum, const char *what, const AssayArrays *arrays);

G_END_DECLS
