/* Releases of mixed images: what Mixup and the forms of InstaHide have in common. */
#pragma once

#include "core/math/mixture.h"
#include "core/plugin/plugin.h"

/* How one image is made of s secrets, its owner first, and p public rows: s + p = k. There are
 * N = epochs x n of them; that of secret i in epoch t has the number t n + i. */
typedef struct {
  AssayMixtureCoefficients coefficients;
  gsize n_sources;  /* s */
  gsize n_partners; /* p */
  gsize n_epochs;
  gboolean has_mask;   /* a random sign for every number */
  gsize crops;         /* public images: how far, in pixels, their window is moved at most */
  gboolean has_flips;  /* ... and whether one in two is mirrored left to right */
  gsize private_crops; /* the same of secrets */
  gboolean has_private_flips;
  double noise; /* deviation of normal noise on every number, under the mask; 0: none */
} MixingScheme;

/* The callbacks of such a defense, beside its settings. */
gboolean mixing_check (const MixingScheme *scheme, const AssayShape *shape, GError **error);
void mixing_release_shape (const MixingScheme *scheme, AssayShape *inout_shape);

/* A release of kind mixtures, with labels where the secrets have some: each class has the sum of
 * the coefficients of the secrets that are of it, so that shares sum to 1 without public images and
 * to less with them, which have no label. The truth gets sources, partners, coefficients, owners.
 *
 * Everything random is drawn from items of the context's stream that belong to one image and one
 * purpose: signs, coefficients and partners are never used twice, and do not depend on whether
 * there is a mask. */
gboolean mixing_protect (const MixingScheme *scheme, const AssayDefenseContext *context,
                         AssayView secrets, AssayRelease *ret_release, AssayTruth *ret_truth,
                         GError **error);

/* What their settings are held in: those that a defense has not are 0. */
typedef struct {
  guint variant;
  gint64 k;
  double max_coefficient;
  double private_share;
  guint coefficients;
  double concentration;
  double alpha;
  gint64 epochs;
  bool mask;
  gint64 crops;
  bool flips;
  gint64 private_crops;
  bool private_flips;
  double noise;
} MixingSettings;

/* With @n_sources of the images of each mixture secrets, the others public. */
MixingScheme mixing_scheme (const MixingSettings *settings, gsize n_sources);

/* Settings that these defenses share. */
#define MIXING_PARAMETERS_COEFFICIENTS(Struct)                                                     \
  ASSAY_PARAM_CHOICE (Struct, coefficients, ASSAY_MIXTURE_UNIFORM, assay_mixture_distributions,    \
                      "How coefficients are drawn, before they are divided by their sum: "         \
                      "dirichlet, from a symmetric Dirichlet distribution; fixed, always the "     \
                      "same, see alpha"),                                                          \
      ASSAY_PARAM_REAL (                                                                           \
          Struct, concentration, 1, 0.01, 1000, "",                                                \
          "Parameter of the Dirichlet distribution; 1: uniform on the simplex; below 1: few "      \
          "images dominate"),                                                                      \
      ASSAY_PARAM_REAL (Struct, alpha, 0.5, 0, 1, "",                                              \
                        "coefficients = fixed: share of all images but the first together, in "    \
                        "equal parts",                                                             \
                        ASSAY_PARAM_EXTRA)

/* What training does to secrets before they are mixed, afresh each time. */
#define MIXING_PARAMETERS_PRIVATE                                                                  \
  ASSAY_PARAM_INT (MixingSettings, private_crops, 0, 0, 100000, "pixels",                          \
                   "How far the window cut from a secret is moved at most, each way; 0: no "       \
                   "window is cut",                                                                \
                   ASSAY_PARAM_EXTRA),                                                             \
      ASSAY_PARAM_BOOL (MixingSettings, private_flips, FALSE,                                      \
                        "Whether one in two secrets is mirrored", ASSAY_PARAM_EXTRA),              \
      ASSAY_PARAM_REAL (MixingSettings, noise, 0, 0, 1000, "",                                     \
                        "Standard deviation of the normal noise added to every number, as well "   \
                        "as the mask",                                                             \
                        ASSAY_PARAM_EXTRA)

/* The callbacks of such a defense, @n_sources of its `settings`, and its descriptor with them. */
#define MIXING_CALLBACKS(n_sources)                                                                \
  static MixingScheme scheme_of (const MixingSettings *settings)                                   \
  {                                                                                                \
    return mixing_scheme (settings, n_sources);                                                    \
  }                                                                                                \
  static gboolean protect (const AssayDefenseContext *context, AssayView secrets,                  \
                           AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)       \
  {                                                                                                \
    const MixingScheme scheme = scheme_of (context->settings);                                     \
    return mixing_protect (&scheme, context, secrets, ret_release, ret_truth, error);              \
  }                                                                                                \
  static void release_shape (gconstpointer settings, AssayShape *inout_shape)                      \
  {                                                                                                \
    const MixingScheme scheme = scheme_of (settings);                                              \
    mixing_release_shape (&scheme, inout_shape);                                                   \
  }                                                                                                \
  static gboolean check_scheme (gconstpointer settings, const AssayShape *shape, GError **error)   \
  {                                                                                                \
    const MixingScheme scheme = scheme_of (settings);                                              \
    return mixing_check (&scheme, shape, error);                                                   \
  }

#define MIXING_DEFENSE(symbol, name, ...)                                                          \
  ASSAY_DEFENSE (symbol, name, .holds = { .items = 1 }, .produces = ASSAY_RELEASE_MIXTURES,        \
                 .release_shape = release_shape, .protect = protect, __VA_ARGS__)
