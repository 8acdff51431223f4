/* Test rows as the owner of private rows would encrypt them before they are classified. */
#pragma once

#include "core/math/mixture.h"
#include "core/plugin/plugin.h"

/* Whom a test row is mixed with. */
typedef enum {
  ENCRYPTION_SECRETS, /* k - 1 secrets, as within one private set */
  ENCRYPTION_PUBLIC,  /* k - 1 public rows */
  ENCRYPTION_BOTH,    /* one secret and k - 2 public rows */
} EncryptionPartners;

extern const char *const encryption_partners[];

/* x~ = sigma o (lambda_1 x + sum_j lambda_j z_j) with distinct partners z_j, coefficients and,
 * where there is a mask, signs that are drawn afresh for every one. */
typedef struct {
  AssayMixtureCoefficients coefficients;
  EncryptionPartners partners;
  gboolean has_mask;
  AssayView secrets;
  const AssayRows *public_rows; /* NULL: there are none */
  AssayScale scale;             /* of public rows */
  AssayStreamKey key;
  guint64 item; /* encryption number t of row i draws from item + i * encryptions + t */
  gsize encryptions;
} Encryption;

/* Rules between settings and sizes; sizes of 0 are not known. */
gboolean encryption_check (const AssayMixtureCoefficients *coefficients,
                           EncryptionPartners partners, gsize n_secrets, gsize n_public,
                           GError **error);
/* And between them and what there is: rows of @cols columns. */
gboolean encryption_check_material (const Encryption *encryption, gsize cols, GError **error);

/* Encryption number @turn of @rows, which are numbered from @first; without gaps. */
gboolean encryption_apply (const Encryption *encryption, AssayView rows, gsize first, gsize turn,
                           float *ret_rows, GError **error);
