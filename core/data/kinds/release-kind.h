/* What a kind of release is: its arrays, checks, public parameters, and how its items relate to
 * secrets. Each kind is one file, core/data/kinds/NAME.c. */
#pragma once

#include <glib.h>

#include "core/base/param.h"
#include "core/data/arrays.h"
#include "core/data/shape.h"

G_BEGIN_DECLS

/* All kinds: a new one is its file and its line here (the build reads the names from these lines).
 * What is said of them besides stands in their files. */
#define ASSAY_RELEASE_KINDS(X)                                                                     \
  X (VECTORS, vectors, "vectors")                                                                  \
  X (SUBSPACES, subspaces, "subspaces")                                                            \
  X (VECTOR_SETS, vector_sets, "vector-sets")                                                      \
  X (STATISTICS, statistics, "statistics")                                                         \
  X (MIXTURES, mixtures, "mixtures")                                                               \
  X (CODES, codes, "codes")                                                                        \
  X (UPDATES, updates, "updates")                                                                  \
  X (GRAPH, graph, "graph")                                                                        \
  X (PAIRED_CODES, paired_codes, "paired-codes")                                                   \
  X (GRADIENTS, gradients, "gradients")                                                            \
  X (NETWORK, network, "network")

#define ASSAY_KIND_NUMBER(NAME, name, text) ASSAY_KIND_NUMBER_##NAME,
enum { ASSAY_RELEASE_KINDS (ASSAY_KIND_NUMBER) ASSAY_N_KINDS };

/* ASSAY_RELEASE_VECTORS and so on: a bit each, so that plugins can read several. */
#define ASSAY_KIND_BIT(NAME, name, text) ASSAY_RELEASE_##NAME = 1 << ASSAY_KIND_NUMBER_##NAME,
typedef enum { ASSAY_RELEASE_NONE = 0, ASSAY_RELEASE_KINDS (ASSAY_KIND_BIT) } AssayReleaseKind;

#define ASSAY_RELEASE_ANY ((1 << ASSAY_N_KINDS) - 1)

typedef struct _AssayRelease AssayRelease;
typedef struct _AssayTruth AssayTruth;

typedef enum {
  ASSAY_ITEM_OF_EACH_SECRET,      /* item i is what was released of secret i */
  ASSAY_ITEMS_OF_SEVERAL_SECRETS, /* each is of several; which, and in what order, is not said */
  ASSAY_ITEM_OF_ALL_SECRETS,      /* there is one, of all secrets together */
} AssayItems;

typedef struct {
  const AssayArraySpec *arrays; /* the first has an item in each row */
  const AssayArraySpec *truth;  /* what games must know of such a release; NULL: nothing more */
  /* Public parameters: what a defense lets everybody know of how it works. NULL: none. */
  const AssayParam *parameters;
  gsize parameters_size;
  AssayItems items;
  gboolean has_rows; /* its rows have the columns of secrets, and are images where these are */
  gboolean has_bits; /* AssayRelease.bits */
  gsize (*cols) (const AssayRelease *release); /* NULL: those of the first array */
  /* Rules beyond types and sizes; the arrays have passed those. NULL: none. */
  gboolean (*check) (const AssayRelease *release, GError **error);
  gboolean (*check_truth) (const AssayTruth *truth, GError **error);
  /* The numbers of an image that was released of @secret, or of the item that was made for it;
   * NULL: there is none. The member is NULL where items are no images. */
  const float *(*picture) (const AssayRelease *release, const AssayTruth *truth, gsize secret);
  /* What an attacker would learn from of an item (item-numbers.h): how many numbers, and these.
   * NULL, both: the row of the first array. */
  gsize (*count_numbers) (const AssayRelease *release, gsize n_probes);
  void (*numbers) (const AssayRelease *release, gsize item, AssayView probes, float *ret_numbers);
} AssayKind;

/* NULL for NONE. */
const AssayKind *assay_kind (AssayReleaseKind kind);
/* The kinds whose items relate so to secrets; a set. */
guint assay_kinds_of_items (AssayItems items);
/* Bytes of a release and its truth, by what the letters of its arrays stand for in @shape. A letter
 * that only the kind knows counts as the rows that an item is made of. */
guint64 assay_kind_bytes (const AssayKind *kind, const AssayShape *shape);

/* The names of all kinds, for settings that choose one; NULL ends. */
extern const char *const assay_release_kinds[];

const char *assay_release_kind_name (AssayReleaseKind kind);
AssayReleaseKind assay_release_kind_from_name (const char *name); /* NONE: no such kind */
/* "vectors or subspaces" for a set of kinds. */
char *assay_release_kinds_describe (guint kinds);

G_END_DECLS
