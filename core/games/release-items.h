/* The items of a release so that they can be changed, each beside the secret that it was made of.
 * */
#pragma once

#include "core/base/rng.h"
#include "core/data/exchange.h"

typedef struct {
  gsize n;    /* items */
  gsize cols; /* of a secret */
  gsize n_secrets;
  const float *secrets; /* as they were protected, n_secrets x cols */
  const gint64 *owners; /* of each item; NULL: item i is of secret i */
  gsize owner_step;     /* numbers from one owner to the next */
  float *rows;          /* n x cols, or NULL */
  guint8 *codes;        /* n x width bytes, or NULL */
  const guint8 *kept;   /* the codes before they were randomised, or NULL */
  gint64 *sets;         /* n x width rows of the dictionary, or NULL */
  AssayView dictionary;
  gsize width;
  const char *name; /* of the array */
} AssayReleaseItems;

/* Copies the items out of @release. FALSE: those of this release cannot be changed, because they
 * have not the columns of secrets, or are of all secrets together. */
gboolean assay_release_items_take (AssayReleaseItems *ret_items, const AssayRelease *release,
                                   const AssayTruth *truth);
/* Puts them back. */
void assay_release_items_give (AssayReleaseItems *items, AssayRelease *release);

/* The secret of item @i; NULL: none is known. */
const float *assay_release_items_secret (const AssayReleaseItems *items, gsize i);

/* Brings item @i nearer to its secret by @share, from 0 to 1, at which it is as revealing as its
 * kind allows: a row of numbers is the secret itself, a subspace begins at it, a code has its bits
 * as they were before they were flipped, each restored with probability @share; a set has the
 * entries next to the secret, whatever the share. FALSE: it is as it was. */
gboolean assay_release_items_reveal (AssayReleaseItems *items, gsize i, double share,
                                     AssayStream *stream);
/* Item @i becomes that of number @from. */
void assay_release_items_copy (AssayReleaseItems *items, gsize from, gsize i);
