/* What cases of known outcome are made of. */
#pragma once

#include "core/plugin/attack.h"

G_BEGIN_DECLS

/* @rows x @cols independent standard normal numbers; NULL with an error. */
AssayMatrix *assay_control_normals (gsize rows, gsize cols, AssayStream *stream, GError **error);

/* An image of @side x @side pixels of which neighbours are alike: normal numbers, averaged over
 * @window pixels each way, and scaled to mean 0 and variance 1. */
void assay_control_smooth (gsize side, gsize window, AssayStream *stream, float *ret_image);

/* A release of @secrets as they are, of kind vectors. */
AssayRelease *assay_control_vectors (AssayView secrets, GError **error);

/* Puts the release into the case, and into its truth the secrets; takes both over. FALSE where one
 * of them is NULL, because making it failed. */
gboolean assay_control_take (AssayControlCase *ret_case, AssayRelease *release,
                             AssayMatrix *secrets);

/* Game member, of a case that has its release and secrets: these in random places among as many
 * records of @others again, which has two rows for each and is taken over. FALSE where it is NULL,
 * because making it failed. */
gboolean assay_control_hide_members (AssayControlCase *inout_case, AssayMatrix *others,
                                     AssayStream *stream);

/* The callback of a descriptor for a case that MAKER makes of a struct of TYPE. Its members are
 * given as they are named, and may say `settings`, which are of type SETTINGS (void: none):
 * ASSAY_CONTROL (make_control, subspace_control_make, SubspaceControl, void, .cols = 32) */
#define ASSAY_CONTROL(name, maker, Type, Settings, ...)                                            \
  static gboolean name (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case,        \
                        GError **error)                                                            \
  {                                                                                                \
    G_GNUC_UNUSED const Settings *settings = data;                                                 \
    const Type control = { __VA_ARGS__ };                                                          \
                                                                                                   \
    return maker (&control, key, ret_case, error);                                                 \
  }

/* A defense of known outcome: every row with normal noise of @noise, and all rows of a run moved by
 * one vector, whose numbers are normal with deviation @moves. */
typedef struct {
  AssayStreamKey key;
  double noise;
  double moves; /* 0: rows stay where they are */
} AssayControlNoise;

/* Run @number of it on @rows; NULL with an error. */
AssayRelease *assay_control_noisy (const AssayControlNoise *defense, AssayView rows,
                                   guint64 number, GError **error);
/* @terms (runs, n_secrets, has_key) with it as what is run; runs of the attacker's are numbers from
 * @first on. */
AssayShadow *assay_control_noisy_shadow (const AssayControlNoise *defense, guint64 first,
                                         const AssayShadowTerms *terms);

/* Game member: @n records x @cols normal numbers, half of which it released; it may be run @runs
 * times. */
gboolean assay_control_members (const AssayControlNoise *defense, gsize n, gsize cols, guint64 runs,
                                AssayControlCase *ret_case, GError **error);

/* Game cross: @n rows that it released twice, and four times as many public rows to run it on. */
gboolean assay_control_mates (const AssayControlNoise *defense, gsize n, gsize cols, guint64 runs,
                              AssayControlCase *ret_case, GError **error);

G_END_DECLS
