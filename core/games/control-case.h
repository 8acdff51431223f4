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

G_END_DECLS
