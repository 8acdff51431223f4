/* Releases, guesses and truths: typed sets of named arrays, in memory and as folders.
 *
 * On disk each is a folder with one JSON file (release.json, guess.json, truth.json; "format" is
 * assay-release/1 and so on) and one .npy per array, so that a release made by any program can be
 * attacked here and one made here can be read by NumPy. The kinds of release stand in one table in
 * exchange.c: a new kind is one row there and touches no plugin.
 *
 * Shapes of the arrays (n secrets of dimension d):
 *   release vectors    vectors n x d
 *   release subspaces  translation n x d, basis n x m x d (orthonormal rows)
 *   release vector-sets  sets n x w (row numbers of the dictionary), dictionary k x d
 *   release statistics  statistics 1 x s, of all secrets together
 *   release mixtures   images N x d, labels N x c (shares of classes; optional), geometry
 *   release codes      codes n x b (bit j of a code is bit j % 8 of byte j / 8; bits beyond the
 *                      release's number of bits are 0), and optional the hash function
 *                      (hash-function.h): mean f, projection c x f, anchors f x d, width 1,
 *                      waves c x 2
 *   guess              estimates n x d, adversarial n x a (database row numbers),
 *                      intersecting n (how many other subspaces of the release meet this one),
 *                      considered n x k x d (from which the estimate was chosen),
 *                      forming n x a x d (the descriptors numbered in adversarial),
 *                      near n x r x d (the database rows that come closest to the subspace after
 *                      them, nearest first),
 *                      candidates N x k (public row numbers for each released item, best first),
 *                      pairs p x 2 (numbers of released items), scores p (higher: the rather they
 *                      share a secret),
 *                      codes n x b (what a code was before it was randomised),
 *                      recall q x 3 (of an approximate search, for a sample of the released items:
 *                      the item, how many of its k nearest rows were found, k)
 *   truth              secrets n x d, groups n, labels n, adversarial n x a, frames n x 4
 *                      (dataset.h); of mixtures: sources N x s (the secrets in each image),
 *                      partners N x p (the public rows in it), coefficients N x k (of the sources,
 *                      then of the partners), owners N (the secret that it was made for); of
 *                      codes: codes n x b, before they were randomised; label-sets n (bit c: has
 *                      class c); where public rows are further records of the secrets, partners
 *                      n x 1 (the public row that is one of the secret)
 */
#pragma once

#include <glib.h>

#include "core/data/array.h"
#include "core/data/dataset.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_RELEASE_NONE = 0,
  ASSAY_RELEASE_VECTORS = 1 << 0,
  ASSAY_RELEASE_SUBSPACES = 1 << 1,
  ASSAY_RELEASE_VECTOR_SETS = 1 << 2,
  ASSAY_RELEASE_STATISTICS = 1 << 3,
  ASSAY_RELEASE_MIXTURES = 1 << 4,
  ASSAY_RELEASE_CODES = 1 << 5,
} AssayReleaseKind;

#define ASSAY_RELEASE_ANY ((1 << 6) - 1)

/* Named arrays in the order in which they were added. */
typedef struct {
  GPtrArray *names;
  GPtrArray *arrays;
} AssayArrays;

/* What was found near a release's subspaces so far (core/search/scan-cache.c). */
typedef struct _AssayScanCache AssayScanCache;

/* What leaves the owner. */
typedef struct {
  AssayReleaseKind kind;
  AssayArrays arrays;
  gboolean is_unit_norm;  /* secrets were L2-normalised before they were protected */
  AssayGeometry geometry; /* of rows that are images */
  gsize bits;             /* of a code; 0 in other kinds */
  char *defense;         /* id of the plugin that made it, or what its maker calls it; never NULL */
  char *settings;        /* JSON object text of the defense's settings; never NULL */
  AssayScanCache *scans; /* what attacks on this release share; says nothing of the secrets */
} AssayRelease;

/* What an attack returns. Every array is optional. */
typedef struct {
  AssayArrays arrays;
  gboolean is_unordered; /* which estimate is of which secret, the attack could not tell */
} AssayGuess;

/* What games and metrics alone may see. */
typedef struct {
  AssayArrays arrays;
  AssayGeometry geometry; /* of secrets that are images */
} AssayTruth;

/* The subspaces of a release: D_i = translation_i + span (basis_i). */
typedef struct {
  gsize count;              /* n */
  gsize dimension;          /* m; 0 for plain points */
  gsize cols;               /* d */
  const float *translation; /* n x d */
  const float *basis;       /* n x m x d, orthonormal rows; NULL when m = 0 */
} AssaySubspaces;

AssayRelease *assay_release_new (AssayReleaseKind kind, const char *defense);
AssayGuess *assay_guess_new (void);
AssayTruth *assay_truth_new (void);
void assay_release_free (AssayRelease *release);
void assay_guess_free (AssayGuess *guess);
void assay_truth_free (AssayTruth *truth);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRelease, assay_release_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGuess, assay_guess_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTruth, assay_truth_free)

/* The names of all kinds, for settings that choose one; NULL ends. */
extern const char *const assay_release_kinds[];

/* What a program of others, or a folder, may say of the release or guess that a cell asked it for:
 * copies of its arrays and how they are to be read. Who made it, and how, is not its to say. */
void assay_release_take_answer (AssayRelease *release, const AssayRelease *answer);
void assay_guess_take_answer (AssayGuess *guess, const AssayGuess *answer);

/* That such an answer is of @kind, with an item for each of @n secrets and rows of @cols where the
 * kind has them. ASSAY_ERROR_MISMATCH. */
gboolean assay_release_check_answer (const AssayRelease *answer, AssayReleaseKind kind, gsize n,
                                     gsize cols, GError **error);

/* Adds @array (taken over) under @name; one of that name is replaced. */
void assay_arrays_take (AssayArrays *arrays, const char *name, AssayArray *array);
const AssayArray *assay_arrays_get (const AssayArrays *arrays, const char *name);

/* ASSAY_ERROR_MISMATCH unless the arrays are those of the kind, with its types and with sizes that
 * agree; ASSAY_ERROR_DATA for values that are not finite or bases that are not orthonormal. */
gboolean assay_release_check (const AssayRelease *release, GError **error);
gboolean assay_guess_check (const AssayGuess *guess, GError **error);
gboolean assay_truth_check (const AssayTruth *truth, GError **error);

gsize assay_release_count (const AssayRelease *release); /* n */
gsize assay_release_cols (const AssayRelease *release);  /* d; 0: the release does not say */
/* How rows are scaled that are compared with it: as its secrets were. */
AssayScale assay_release_scale (const AssayRelease *release);
/* Whether it has arrays that only the holder of further grants than @grants may see (labels,
 * hash-function), and a copy without them, which shares the others. */
gboolean assay_release_hides (const AssayRelease *release, guint grants);
AssayRelease *assay_release_granted (const AssayRelease *release, guint grants);
/* A release of kind subspaces, or of kind vectors as subspaces of dimension 0. */
AssaySubspaces assay_release_subspaces (const AssayRelease *release);

const char *assay_release_kind_name (AssayReleaseKind kind);
AssayReleaseKind assay_release_kind_from_name (const char *name); /* NONE: no such kind */
/* "vectors or subspaces" for a set of kinds. */
char *assay_release_kinds_describe (guint kinds);

/* Folders. Writing needs a folder that does not exist yet or is empty, and leaves nothing behind
 * when it fails; reading maps the arrays, and takes float64 for float32 and int32 for int64, as
 * NumPy users save them. Errors name folder, file and what was expected. */
/* ASSAY_ERROR_DATA unless @folder is a place to which one of these could be written. */
gboolean assay_exchange_check_target (const char *folder, GError **error);
gboolean assay_release_write (const AssayRelease *release, const char *folder, GError **error);
gboolean assay_guess_write (const AssayGuess *guess, const char *folder, GError **error);
gboolean assay_truth_write (const AssayTruth *truth, const char *folder, GError **error);
AssayRelease *assay_release_read (const char *folder, GError **error);
AssayGuess *assay_guess_read (const char *folder, GError **error);
AssayTruth *assay_truth_read (const char *folder, GError **error);

G_END_DECLS
