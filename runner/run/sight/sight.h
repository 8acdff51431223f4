/* What an attack sees: out of what there is, what it is granted. */
#pragma once

#include "core/plugin/plugin.h"

/* Knowledge that can be granted. What is not at hand is NULL. */
typedef struct {
  AssayRows *database;
  AssayRows *public_rows;
  AssayRows *public_originals; /* the pictures that these are features of */
  const gint64 *public_labels; /* for defenses that learn from public rows; no attack is given it */
  const gint64 *public_groups; /* which of them belong together; see AssayObservation */
  GPtrArray *secret_photos; /* of AssayPhoto, by group: of which no attack is given more than the
                             * sides */
  const AssayRoleData *public_data; /* of the public rows, with their keypoints */
} AssayKnowledge;

AssayKnowledge assay_knowledge_of (const AssayDataset *dataset);

/* What an attack is granted, out of what there is. */
typedef struct {
  guint grants; /* set of AssayGrant */
  const AssayRelease *release;
  const AssayKnowledge *knowledge;
  const gint64 *groups;     /* as AssayObservation has them, or NULL */
  const GPtrArray *repeats; /* of AssayRelease; NULL: none */
  AssayShadow *shadow;      /* with the grant `mechanism`; NULL: the defense cannot be run */
  const AssayPairs *pairs;  /* NULL: none */
  const AssayRows *records; /* of the game member; NULL: none */
  const gint64 *record_labels; /* NULL: not known */
  const AssayRelease *crossed; /* of the game cross; NULL: none */
  const char *const *attribute_names; /* NULL: none are known */
  const AssayTruth *truth; /* of whose graph rows and known edges are granted; NULL: none */
  AssayRunPosition position; /* which release of a run it is */
} AssayGranted;

/* @seen borrows from the other members, which do not move, and from what it was opened of. */
typedef struct {
  GPtrArray *released; /* of AssayRelease: all that it may see, the one under attack first */
  AssayRelease *crossed;
  AssayArray *known_edges;
  AssayView features;
  AssayKeypoints *keypoints, *public_keypoints;
  AssayObservation seen;
} AssaySight;

/* @ret_sight arrives zeroed. ASSAY_ERROR_MEMORY. */
gboolean assay_sight_open (const AssayGranted *granted, AssaySight *ret_sight, GError **error);
ASSAY_DECLARE_CLEAR (AssaySight, assay_sight_clear)
