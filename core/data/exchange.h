/* Releases, guesses and truths: typed sets of named arrays, in memory and as folders.
 *
 * On disk each is a folder with one JSON file (release.json, guess.json, truth.json; "format" is
 * assay-release/1 and so on) and one .npy per array, so that a release made by any program can be
 * attacked here and one made here can be read by NumPy. What is in them: docs/formats.md.
 *
 * Which arrays a release has, and its truth, is declared by its kind (core/data/kinds/); those of a
 * guess by the games (core/data/exchange.c) and by the attacks that write more
 * (AssayAttack.writes). */
#pragma once

#include <glib.h>

#include "core/data/arrays.h"
#include "core/data/dataset.h"
#include "core/data/kinds/parameters.h"
#include "core/data/kinds/release-kind.h"

G_BEGIN_DECLS

/* What leaves the owner. */
struct _AssayRelease {
  AssayReleaseKind kind;
  AssayArrays arrays;
  gboolean is_unit_norm;  /* secrets were L2-normalised before they were protected */
  AssayGeometry geometry; /* of rows that are images */
  gsize bits;             /* of a code; 0 in other kinds */
  AssayParameters parameters;
  char *defense;    /* id of the plugin that made it, or what its maker calls it; never NULL */
  char *settings;   /* JSON object text of the defense's settings, for people alone: attacks receive
                   * "{}"; never NULL */
  guint64 owner;    /* of what is shared by those who attack it (core/base/shared-work.h) */
  gboolean is_copy; /* ... and which lasts as long as the release that this was copied from */
};

/* What an attack returns. Every array is optional. */
typedef struct {
  AssayArrays arrays;
  gboolean is_unordered; /* which estimate is of which secret, the attack could not tell */
  char *says; /* how it came to it, and how well it expects to do; NULL: nothing */
  /* How well the guess as a whole explains the release by the attack's own measure, 0 to 1: the
   * best of several starts has the highest. Below ASSAY_SURE the attack itself thinks that it
   * failed. NAN: it does not say. */
  double confidence;
} AssayGuess;

#define ASSAY_SURE 0.5

/* What games and metrics alone may see. */
struct _AssayTruth {
  AssayArrays arrays;
  AssayGeometry geometry; /* of secrets that are images */
  /* What a reader of the report has to know of how the release came about, such as that it is of a
   * training that diverged; NULL: nothing. */
  char *says;
};

/* Begins what is said of a release in the message of a cell. */
#define ASSAY_SAYS_OF_RELEASE "the release: "

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

/* The message of a cell: what @truth says of the release, and then @words (taken; NULL: nothing).
 * NULL where there is neither. */
char *assay_truth_say (const AssayTruth *truth, char *words);

/* Columns of the secrets that are of a first modality; 0: they are of one. */
gsize assay_truth_first_cols (const AssayTruth *truth);

/* What a program of others, or a folder, may say of the release or guess that a cell asked it for:
 * its arrays and parameters, and how they are to be read. Who made it is not its to say. */
void assay_release_take_answer (AssayRelease *release, const AssayRelease *answer);
void assay_guess_take_answer (AssayGuess *guess, const AssayGuess *answer);

/* That such an answer is of @kind, with an item for each of @n secrets and rows of @cols where the
 * kind has them; vectors may have any number of columns, as what is left of a row after a
 * projection or of an image after it was made smaller. ASSAY_ERROR_MISMATCH. */
gboolean assay_release_check_answer (const AssayRelease *answer, AssayReleaseKind kind, gsize n,
                                     gsize cols, GError **error);

/* ASSAY_ERROR_MISMATCH unless the arrays are those of the kind, with its types and with sizes that
 * agree; ASSAY_ERROR_DATA for what the kind's own rules refuse. */
gboolean assay_release_check (const AssayRelease *release, GError **error);
/* Arrays of the games, and those of the lists @more (NULL ends; may be NULL). */
gboolean assay_guess_check (const AssayGuess *guess, const AssayArraySpec *const *more,
                            GError **error);
/* Those of secrets, and of all kinds of release. */
gboolean assay_truth_check (const AssayTruth *truth, GError **error);

gsize assay_release_count (const AssayRelease *release); /* items */
gsize assay_release_cols (const AssayRelease *release);  /* d; 0: the release does not say */
/* How rows are scaled that are compared with it: as its secrets were. */
AssayScale assay_release_scale (const AssayRelease *release);

/* What of the release a scenario grants: a set of AssayGrant, of those that kinds name for arrays.
 * What the release has; whether it has more than who holds @grants may see; and what these see,
 * which shares the arrays. */
guint assay_release_holds (const AssayRelease *release);
gboolean assay_release_hides (const AssayRelease *release, guint grants);
AssayRelease *assay_release_granted (const AssayRelease *release, guint grants);

/* A release of kind subspaces, or of kind vectors as subspaces of dimension 0. */
AssaySubspaces assay_release_subspaces (const AssayRelease *release);

/* Folders. Writing needs a folder that does not exist yet or is empty, and leaves nothing behind
 * when it fails; reading maps the arrays, and takes float64 for float32 and int32 for int64, as
 * NumPy users save them. Errors name folder, file and what was expected. */
/* ASSAY_ERROR_DATA unless @folder is a place to which one of these could be written. */
gboolean assay_exchange_check_target (const char *folder, GError **error);
gboolean assay_release_write (const AssayRelease *release, const char *folder, GError **error);
gboolean assay_guess_write (const AssayGuess *guess, const char *folder, GError **error);
gboolean assay_truth_write (const AssayTruth *truth, const char *folder, GError **error);
AssayRelease *assay_release_read (const char *folder, GError **error);
AssayGuess *assay_guess_read (const char *folder, const AssayArraySpec *const *more,
                              GError **error);
AssayTruth *assay_truth_read (const char *folder, GError **error);

G_END_DECLS
