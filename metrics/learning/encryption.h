/* Test rows as the owner of private rows would encrypt them before they are classified. */
#pragma once

#include "core/math/mixture.h"
#include "core/plugin/plugin.h"

/* Whom a test row is mixed with. */
typedef enum {
  ENCRYPTION_SECRETS, /* k - 1 secrets, as within one private set */
  ENCRYPTION_PUBLIC,  /* k - 1 public rows */
  ENCRYPTION_BOTH,    /* one secret and k - 2 public rows */
  ENCRYPTION_RELEASE, /* as the release's own mixtures; their k and their mask, too */
} EncryptionPartners;

extern const char *const encryption_partners[];

/* What the owner knows of encryptions of rows: k coefficients of each, the row's own first, and
 * which secrets are among its partners, encryption_count_secrets of each, which come before public
 * ones. */
typedef struct {
  float *coefficients; /* rows x k */
  gsize *secrets;
} EncryptionRecord;

/* x~ = sigma o (lambda_1 x + sum_j lambda_j z_j) with distinct partners z_j, coefficients and,
 * where there is a mask, signs that are drawn afresh for every one. */
typedef struct {
  AssayMixtureCoefficients coefficients;
  gsize n_public; /* public ones among the k - 1 partners */
  gboolean has_mask;
  AssayView secrets;
  const AssayRows *public_rows; /* NULL: there are none */
  AssayScale scale;             /* of public rows */
  AssayStreamKey key;
  guint64 item; /* encryption number t of row i draws from item + i * encryptions + t */
  gsize encryptions;
  const EncryptionRecord *record; /* filled; NULL: nobody asks */
} Encryption;

/* Public ones among k - 1 partners; not for ENCRYPTION_RELEASE, which the release says. */
gsize encryption_count_public (EncryptionPartners partners, gsize k);
/* Coefficients' k and bound, public partners and mask of @release, which is of kind mixtures, and
 * how coefficients are drawn, if it says so; ASSAY_ERROR_MISMATCH where it is silent on others. */
gboolean encryption_take_release (Encryption *encryption, const AssayRelease *release,
                                  GError **error);

/* Rules between settings and sizes; sizes of 0 are not known. */
gboolean encryption_check (const AssayMixtureCoefficients *coefficients,
                           EncryptionPartners partners, gsize n_secrets, gsize n_public,
                           GError **error);
/* And between them and what there is: rows of @cols columns. */
gboolean encryption_check_material (const Encryption *encryption, gsize cols, GError **error);

/* Secrets among k - 1 partners. */
gsize encryption_count_secrets (const Encryption *encryption);

/* Encryption number @turn of @rows, which are numbered from @first; without gaps. */
gboolean encryption_apply (const Encryption *encryption, AssayView rows, gsize first, gsize turn,
                           float *ret_rows, GError **error);
