/* Pairs: rows of an attacker's own beside what a defense released of them, from which an attack
 * learns the way back. They are made by running the defense (core/plugin/shadow.h), or known from
 * elsewhere and read from a folder. No row of them is one of the secrets under attack. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* One release of rows of the attacker's own. */
typedef struct {
  AssayRelease *release;
  /* What is known of these rows, under the names of a truth: `secrets` in the form in which the
   * defense protects them, and where there are any labels, and of mixtures sources and owners. */
  AssayArrays known;
  gsize *numbers; /* the public rows that they are; NULL: none */
} AssayOwnRelease;

typedef struct {
  GPtrArray *releases; /* of AssayOwnRelease, one at least */
  /* They have the key of the release under attack. Otherwise every release has one of its own, and
   * what was learned of some is to be tried on others. */
  gboolean has_key;
} AssayPairs;

/* All are taken over; @numbers may be NULL. */
AssayOwnRelease *assay_own_release_new (AssayRelease *release, AssayTruth *truth, gsize *numbers);
ASSAY_DECLARE_FREE (AssayOwnRelease, assay_own_release_free)

static inline AssayView
assay_own_rows (const AssayOwnRelease *own)
{
  return assay_array_view (assay_arrays_get (&own->known, "secrets"));
}

AssayPairs *assay_pairs_new (gboolean has_key);
ASSAY_DECLARE_FREE (AssayPairs, assay_pairs_free)

static inline const AssayOwnRelease *
assay_pairs_get (const AssayPairs *pairs, guint index)
{
  return (const AssayOwnRelease *) g_ptr_array_index (pairs->releases, index);
}

gsize assay_pairs_count (const AssayPairs *pairs); /* rows */
gsize assay_pairs_bytes (const AssayPairs *pairs);

/* All rows, and beside each what was released of it: of pairs of vectors, which have an item for
 * each row. */
gboolean assay_pairs_gather (const AssayPairs *pairs, AssayRows **ret_rows,
                             AssayRows **ret_released, GError **error);

/* Folders: FOLDER/release and FOLDER/truth, as `assay protect` writes them, or several such, as
 * FOLDER/0, FOLDER/1 and so on. What is read was made with the key of the release under attack.
 * Errors say which file or array, and what was expected. */
AssayPairs *assay_pairs_read (const char *folder, GError **error);
gboolean assay_pairs_write (const AssayPairs *pairs, const char *folder, GError **error);

/* ASSAY_ERROR_MISMATCH unless they are of releases like @release: its kind, items of as many
 * numbers, rows scaled like its secrets; and ASSAY_ERROR_DATA where they are none or a row is
 * constant among all of them. */
gboolean assay_pairs_check (const AssayPairs *pairs, const AssayRelease *release, GError **error);

G_END_DECLS
