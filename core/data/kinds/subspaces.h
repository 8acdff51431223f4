/* Releases of kind subspaces: an affine subspace in place of each secret, which is in it. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_LIFTING_RANDOM,
  ASSAY_LIFTING_ADVERSARIAL,
  ASSAY_LIFTING_HYBRID,
  ASSAY_LIFTING_SUB_HYBRID,
} AssayLiftingVariant;

extern const char *const assay_lifting_variants[]; /* NULL ends */

typedef struct {
  guint variant;        /* AssayLiftingVariant: where the directions come from */
  gint64 adversarial;   /* rows of the database that are in each subspace */
  gint64 sub_databases; /* parts of the database; each subspace has rows of one */
} AssaySubspacesParameters;

G_END_DECLS
