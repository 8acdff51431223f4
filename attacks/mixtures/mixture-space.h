/* What the attacks on mixed images compare: features of mixtures and of public images (InstaHide,
 * Huang, Song, Li and Arora 2020, sections 2.1, 2.2 and 9).
 *
 * With P the inverse of the shrunk covariance of reference rows (the public ones; of pairs, the
 * mixtures), the score of x and s is <f (x), P f (s)>, and P = I without whitening: a matched
 * filter, for which structure that all images have in common is no evidence. */
#pragma once

#include "core/plugin/plugin.h"
#include "core/search/search.h"

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

/* Settings that attacks by inner product share: members of their struct, and their rows. */
#define MIXTURE_SETTINGS                                                                           \
  bool centre;                                                                                     \
  bool whiten;                                                                                     \
  double shrinkage;                                                                                \
  bool unit

#define MIXTURE_PARAMETERS(Struct)                                                                 \
  ASSAY_PARAM_BOOL (Struct, level, FALSE,                                                          \
                    "Whether its own mean pixel is subtracted from each "                          \
                    "image"),                                                                      \
      ASSAY_PARAM_BOOL (Struct, centre, FALSE, "Whether the mean image is subtracted"),            \
      ASSAY_PARAM_BOOL (Struct, whiten, FALSE,                                                     \
                        "Whether images are weighted by their inverse covariance, shrunk "         \
                        "towards the identity"),                                                   \
      ASSAY_PARAM_REAL (Struct, shrinkage, 0.1, 0.001, 1, "",                                      \
                        "whiten = yes: share of the mean variance in the covariance"),             \
      ASSAY_PARAM_BOOL (Struct, unit, FALSE,                                                       \
                        "Whether images are scaled to unit length before the "                     \
                        "product")

/* Their features; @... is what these settings do not say: form, level. */
#define MIXTURE_OPTIONS(settings, ...)                                                             \
  ((MixtureOptions){ .centre = (settings)->centre,                                                 \
                     .whiten = (settings)->whiten,                                                 \
                     .shrinkage = (settings)->shrinkage,                                           \
                     .unit = (settings)->unit,                                                     \
                     __VA_ARGS__ })

/* The two forms of images, of which the absolute one is always less its mean. */
#define MIXTURE_IMAGE_OPTIONS(settings)                                                            \
  MIXTURE_OPTIONS (settings, .form = (settings)->absolute ? MIXTURE_ABSOLUTE : MIXTURE_PLAIN,      \
                   .level = (settings)->level || (settings)->absolute)

/* What features are made by, learned from reference rows. */
typedef struct {
  MixtureOptions options;
  gsize cols;
  float *mean;    /* cols; NULL: not centred */
  float *inverse; /* P, cols x cols; NULL: I */
} MixtureSpace;

ASSAY_DECLARE_CLEAR (MixtureSpace, mixture_space_clear)

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

/* Reference rows that are not held, without whitening: what is learned from them panel by panel,
 * the same to the bit; and their features, for which @data is the space (AssaySearchShape). */
gboolean mixture_space_stream (const MixtureOptions *options, const AssayRows *rows,
                               AssayScale scale, MixtureSpace *ret_space, GError **error);
gboolean mixture_space_shape (AssayView panel, gsize first, gpointer data, gpointer ret_features,
                              float *ret_offsets, GError **error);
