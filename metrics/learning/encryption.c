/* Test rows as the owner of private rows would encrypt them.
 *
 * Huang et al. 2020, section 3.3, average the predictions for "multiple encryptions (e.g. 10) of a
 * test sample" and do not say with what it is mixed; it is the owner who encrypts, and what it has
 * at hand are its own training images and the public ones. */
#include "metrics/learning/encryption.h"

#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/data/kinds/parameters.h"

const char *const encryption_partners[] = { "secrets", "public", "both", "release", NULL };

gsize
encryption_count_public (EncryptionPartners partners, gsize k)
{
  return partners == ENCRYPTION_PUBLIC ? k - 1 : partners == ENCRYPTION_BOTH ? k - 2 : 0;
}

gsize
encryption_count_secrets (const Encryption *encryption)
{
  return encryption->coefficients.k - 1 - encryption->n_public;
}

/* How coefficients are drawn, as far as the release says it. */
static void
take_distribution (const AssayRelease *release, AssayMixtureCoefficients *inout_drawn)
{
  const guint *distribution = ASSAY_PARAMETER (release, AssayMixturesParameters, coefficients);
  const double *concentration = ASSAY_PARAMETER (release, AssayMixturesParameters, concentration);
  const double *alpha = ASSAY_PARAMETER (release, AssayMixturesParameters, alpha);

  if (distribution == NULL)
    return;
  inout_drawn->distribution = *distribution;
  if (concentration != NULL)
    inout_drawn->concentration = *concentration;
  if (alpha != NULL)
    inout_drawn->alpha = *alpha;
}

gboolean
encryption_take_release (Encryption *encryption, const AssayRelease *release, GError **error)
{
  const gint64 *k = ASSAY_PARAMETER (release, AssayMixturesParameters, k);
  const gint64 *n_public = ASSAY_PARAMETER (release, AssayMixturesParameters, partners);
  const double *max = ASSAY_PARAMETER (release, AssayMixturesParameters, max_coefficient);
  const double *share = ASSAY_PARAMETER (release, AssayMixturesParameters, private_share);
  const bool *mask = ASSAY_PARAMETER (release, AssayMixturesParameters, mask);
  AssayMixtureCoefficients *drawn = &encryption->coefficients;

  if (k == NULL || n_public == NULL || mask == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "partners = release: the mixtures do not say their `k`, `partners` and "
                       "`mask`; expected a release that does, or another value");
  if (*n_public >= *k)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "partners = release: the mixtures are of %" G_GINT64_FORMAT
                       " images, %" G_GINT64_FORMAT " of them public; expected a secret among them",
                       *k, *n_public);
  take_distribution (release, drawn);
  drawn->k = (gsize) *k;
  drawn->max_coefficient = max != NULL ? *max : 1;
  drawn->private_share = share != NULL && *k - *n_public == 2 ? *share : 0;
  encryption->n_public = (gsize) *n_public;
  encryption->has_mask = *mask;
  return assay_mixture_coefficients_check (drawn, error);
}

gboolean
encryption_check (const AssayMixtureCoefficients *coefficients, EncryptionPartners partners,
                  gsize n_secrets, gsize n_public, GError **error)
{
  const gsize k = coefficients->k, p = encryption_count_public (partners, k), s = k - 1 - p;

  if (partners == ENCRYPTION_RELEASE)
    return TRUE;
  if (n_secrets > 0 && n_secrets < s)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "k = %zu with partners = %s mixes a test row with %zu secrets: expected as "
                       "many or more, found %zu",
                       k, encryption_partners[partners], s, n_secrets);
  if (n_public > 0 && n_public < p)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "k = %zu with partners = %s mixes a test row with %zu public rows: expected "
                       "as many or more, found %zu",
                       k, encryption_partners[partners], p, n_public);
  return assay_mixture_coefficients_check (coefficients, error);
}

gboolean
encryption_check_material (const Encryption *encryption, gsize cols, GError **error)
{
  const gsize s = encryption_count_secrets (encryption), p = encryption->n_public;
  const AssayRows *public_rows = encryption->public_rows;

  if (s > 0 && (encryption->secrets.rows < s || encryption->secrets.cols != cols))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "test rows are mixed with %zu secrets each: expected as many or more of %zu "
                       "columns, found %zu of %zu",
                       s, cols, encryption->secrets.rows, encryption->secrets.cols);
  if (p > 0
      && (public_rows == NULL || assay_rows_count (public_rows) < p
          || assay_rows_cols (public_rows) != cols))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "test rows are mixed with %zu public rows each: expected a dataset with as "
                       "many or more of %zu columns; without them, partners = secrets",
                       p, cols);
  return TRUE;
}

typedef struct {
  const Encryption *encryption;
  AssayView rows;
  gsize first;
  gsize turn;
  float *partners; /* public rows: (k - 1) x cols a worker */
  guint32 *words;  /* of signs, a worker */
  float *encrypted;
} Encrypting;

static void
keep_record (const Encryption *encryption, gsize index, const float *coefficients,
             const gsize *secrets)
{
  const EncryptionRecord *record = encryption->record;
  const gsize k = encryption->coefficients.k, s = encryption_count_secrets (encryption);

  if (record == NULL)
    return;
  for (gsize j = 0; j < k; j++)
    record->coefficients[index * k + j] = coefficients[j];
  for (gsize j = 0; j < s; j++)
    record->secrets[index * s + j] = secrets[j];
}

static void
encrypt_row (gsize index, guint worker, gpointer data)
{
  const Encrypting *encrypting = data;
  const Encryption *encryption = encrypting->encryption;
  const gsize cols = encrypting->rows.cols, k = encryption->coefficients.k;
  const gsize s = encryption_count_secrets (encryption), p = encryption->n_public;
  const guint64 number = (encrypting->first + index) * encryption->encryptions + encrypting->turn;
  AssayStream stream = assay_stream (encryption->key, encryption->item + number);
  float *partners = encrypting->partners + worker * (k - 1) * cols;
  float *encrypted = encrypting->encrypted + index * cols;
  const float *images[ASSAY_MIXTURE_MAX_IMAGES];
  float coefficients[ASSAY_MIXTURE_MAX_IMAGES];
  gsize chosen[ASSAY_MIXTURE_MAX_IMAGES];

  assay_mixture_coefficients_draw (&encryption->coefficients, &stream, coefficients);
  images[0] = assay_view_row (encrypting->rows, index);
  if (s > 0)
    assay_stream_choose (&stream, encryption->secrets.rows, s, chosen);
  for (gsize j = 0; j < s; j++)
    images[1 + j] = assay_view_row (encryption->secrets, chosen[j]);
  keep_record (encryption, index, coefficients, chosen);
  if (p > 0) {
    assay_stream_choose (&stream, assay_rows_count (encryption->public_rows), p, chosen);
    assay_rows_gather (encryption->public_rows, chosen, p, encryption->scale, partners);
  }
  for (gsize j = 0; j < p; j++)
    images[1 + s + j] = partners + j * cols;
  assay_mixture_sum (images, coefficients, k, cols, encrypted);
  if (encryption->has_mask) {
    const gsize n_words = assay_mixture_sign_words (cols);
    guint32 *words = encrypting->words + worker * n_words;

    assay_stream_fill_u32 (&stream, n_words, words);
    assay_mixture_flip_signs (words, cols, encrypted);
  }
}

gboolean
encryption_apply (const Encryption *encryption, AssayView rows, gsize first, gsize turn,
                  float *ret_rows, GError **error)
{
  const gsize workers = assay_parallel_threads ();
  g_autofree float *partners = assay_alloc (workers * (encryption->coefficients.k - 1),
                                            rows.cols * sizeof *partners, "public rows", error);
  g_autofree guint32 *words
      = assay_alloc (workers, assay_mixture_sign_words (rows.cols) * sizeof *words, "signs", error);
  Encrypting encrypting = { encryption, rows, first, turn, partners, words, ret_rows };

  if (partners == NULL || words == NULL)
    return FALSE;
  assay_parallel_for (rows.rows, encrypt_row, &encrypting);
  return TRUE;
}
