/* What a scenario may let an attack know beside the release. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Knowledge that a scenario may grant to an attack, beside the release. */
typedef enum {
  ASSAY_GRANT_NONE = 0,
  ASSAY_GRANT_DATABASE = 1 << 0,       /* the rows from which the defense drew its material */
  ASSAY_GRANT_PUBLIC = 1 << 1,         /* public rows of the same kind as the secrets */
  ASSAY_GRANT_GROUPS = 1 << 2,         /* which secrets belong together */
  ASSAY_GRANT_OTHER_RELEASES = 1 << 3, /* what was released of the other secrets */
  ASSAY_GRANT_REPEATS = 1 << 4,        /* further releases of the same secrets */
  ASSAY_GRANT_LABELS = 1 << 5,         /* the labels that were released with mixtures */
  ASSAY_GRANT_HASH_FUNCTION = 1 << 6,  /* what was released with codes: how they are made */
  /* The one that takes something away: the public parameters of the release, which are known
   * unless a scenario says so (core/data/kinds/parameters.h). */
  ASSAY_GRANT_NO_PARAMETERS = 1 << 7,
  ASSAY_GRANT_MECHANISM = 1 << 8, /* the attacker may run the defense on rows of their own */
  ASSAY_GRANT_KEY = 1 << 9,       /* ... with what the release drew once for all its secrets */
  ASSAY_GRANT_AGGREGATOR = 1 << 10, /* what the aggregator of model updates computes */
  ASSAY_GRANT_MESSAGES = 1 << 11,   /* what users sent to it, as they sent it */
  ASSAY_GRANT_USER = 1 << 12,       /* what all users share and the aggregator does not know */
  ASSAY_GRANT_KEY_GENERATOR = 1 << 13, /* what decrypts */
  ASSAY_GRANT_FEATURES = 1 << 14,    /* rows of the secrets, where their graph is what is private */
  ASSAY_GRANT_KNOWN_EDGES = 1 << 15, /* the edges between the first half of the secrets */
  ASSAY_GRANT_KEYPOINTS = 1 << 16, /* where in which photograph each secret was described */
  ASSAY_GRANT_MODEL = 1 << 17,     /* the weights of the network that gradients are of */
} AssayGrant;

/* The scenario's words for them ("database", "public", ...), in the order of their bits. */
extern const char *const assay_grant_names[];
char *assay_grants_describe (guint grants); /* "database, public" */
/* The grant called @name into @ret_grant; FALSE: there is none. */
gboolean assay_grant_named (const char *name, guint *ret_grant);

G_END_DECLS
