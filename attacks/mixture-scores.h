/* Inner products of released mixtures with public images (core/search.h), and among themselves:
 * what the attacks on mixed images score by (InstaHide, Huang, Song, Li and Arora 2020, sections
 * 2.1, 2.2 and 9).
 *
 * Rows are turned into features first. With P the inverse of the shrunk covariance of reference
 * rows (the public ones; of pairs, the mixtures), the score is <f (x), P f (s)>, and P = I without
 * whitening: a matched filter, for which structure that all images have in common is no evidence.
 *
 * Public images are streamed from where they lie, unless P is learned from them; scores of pairs
 * are panels of matrix products, each at most MIXTURE_PANEL_BYTES a thread. No N x N matrix is ever
 * held. All results are the same to the bit for any number of threads. */
#pragma once

#include "core/plugin.h"

G_BEGIN_DECLS

#define MIXTURE_PANEL_BYTES ((gsize) 64 << 20)

typedef enum {
  MIXTURE_PLAIN,
  MIXTURE_ABSOLUTE, /* |x|: what a mask of signs leaves */
  MIXTURE_SQUARE,
} MixtureForm;

typedef struct {
  MixtureForm form;
  gboolean level;   /* less the row's own mean over its pixels */
  gboolean centre;  /* less the mean of the reference rows, for others than these and forms other
                     * than plain in the amount that fits them best */
  gboolean whiten;  /* P from the reference rows; otherwise P = I */
  double shrinkage; /* 0 to 1: weight of the mean variance in P's covariance */
  gboolean unit;    /* divided by sqrt (<f, P f>) */
} MixtureOptions;

/* The settings that attacks by inner product share, of a struct with these fields. */
#define MIXTURE_PARAMETERS(Struct)                                                                 \
  ASSAY_PARAM_BOOL (Struct, level, FALSE, "Subtract its own mean pixel from each image"),          \
      ASSAY_PARAM_BOOL (Struct, centre, FALSE, "Subtract the mean image"),                         \
      ASSAY_PARAM_BOOL (Struct, whiten, FALSE,                                                     \
                        "Weigh by the inverse covariance of images, shrunk towards the identity"), \
      ASSAY_PARAM_REAL (Struct, shrinkage, 0.1, 0.001, 1, "",                                      \
                        "Under whiten: the share of the mean variance in the covariance"),         \
      ASSAY_PARAM_BOOL (Struct, unit, FALSE, "Scale images to unit length before the product")

/* What features are made by, learned from reference rows. */
typedef struct {
  MixtureOptions options;
  gsize cols;
  float *mean;    /* cols; NULL: not centred */
  float *inverse; /* P, cols x cols; NULL: I */
} MixtureSpace;

void mixture_space_clear (MixtureSpace *space);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MixtureSpace, mixture_space_clear)

/* The images of a release; all @rows in the scale of the release; both as new matrices. */
AssayMatrix *mixture_images (const AssayRelease *release, GError **error);
AssayMatrix *mixture_public (const AssayRelease *release, const AssayRows *rows, GError **error);

/* Turns @inout_reference into features by what is learned from its rows. ASSAY_ERROR_NUMERIC where
 * they are all alike and their covariance is asked for. */
gboolean mixture_space_learn (const MixtureOptions *options, AssayMatrix *inout_reference,
                              MixtureSpace *ret_space, GError **error);
/* Turns other rows into features of the same space. */
void mixture_space_enter (const MixtureSpace *space, AssayMatrix *inout_rows);
/* Replaces features by P times them; where they are to be of unit length, @inout_rows become so as
 * well. *@ret_whitened stays NULL where P = I. */
gboolean mixture_space_whiten (const MixtureSpace *space, AssayMatrix *inout_rows,
                               AssayMatrix **ret_whitened, GError **error);

/* The game link by one space for all: ranks every public image for every mixture and adds the first
 * @keep (0: all of them) to the guess as `candidates`. */
gboolean mixture_link (const MixtureOptions *options, gsize keep, const AssayObservation *seen,
                       AssayGuess *ret_guess, GError **error);

/* For each of the queries the @keep (>= 1) rows of @set with the largest inner products, best
 * first, equal ones in row order. */
gboolean mixture_rank (AssayView queries, AssayView set, gsize keep, gint64 *ret_rows,
                       GError **error);

/* The same of scores that are there already, n x m. */
gboolean mixture_order (const float *scores, gsize n, gsize m, gsize keep, gint64 *ret_rows,
                        GError **error);

/* <left_i, right_j> of all i < j, packed by rows: n (n - 1) / 2 numbers. */
gboolean mixture_pair_products (AssayView left, AssayView right, float *ret_scores, GError **error);

/* Bytes that the above hold for @n_released mixtures and @n_public rows, features included, but of
 * public ones only where they are whitened. */
guint64 mixture_memory (const MixtureOptions *options, gsize n_released, gsize n_public,
                        gsize cols);
double mixture_work (const MixtureOptions *options, gsize n_released, gsize n_public, gsize cols);

/* The number @name among the settings with which a release was made; 0: not there. */
gint64 mixture_setting (const AssayRelease *release, const char *name);

G_END_DECLS
