/* Where in a run a release stands. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which release of a run is at hand: what the folder of an external one is told by
 * (core/external/external-folder.h). Zeroed where there is no run: a folder without {trial},
 * {repeat} and {defense} is found from the working folder. */
typedef struct {
  const char *const *folders; /* where relative names are looked for, in order; NULL ends */
  guint trial;
  gsize repeat;        /* 0: the release that is attacked; otherwise a further one */
  const char *defense; /* its name in the tables; NULL: not known */
  gboolean is_tuning;  /* of the secrets set apart for tuning */
} AssayRunPosition;

G_END_DECLS
