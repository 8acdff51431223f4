/* What cases of known outcome are made of. */
#pragma once

#include "core/plugin/attack.h"

G_BEGIN_DECLS

/* @rows x @cols independent standard normal numbers; NULL with an error. */
AssayMatrix *assay_control_normals (gsize rows, gsize cols, AssayStream *stream, GError **error);

/* A release of @secrets as they are, of kind vectors. */
AssayRelease *assay_control_vectors (AssayView secrets, GError **error);

/* Puts the release into the case, and into its truth the secrets; takes both over. FALSE where one
 * of them is NULL, because making it failed. */
gboolean assay_control_take (AssayControlCase *ret_case, AssayRelease *release,
                             AssayMatrix *secrets);

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

G_END_DECLS
