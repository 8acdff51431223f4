/* Sums of what users send, with several weights in one ciphertext. */
#include "defenses/updates/packed-sum.h"

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/crypto/packing.h"
#include "defenses/updates/encrypted-sum.h"

struct PackedSum {
  PackedSumSettings settings;
  AssayPaillierSetup *setup;
  gint fraction; /* bits after the point */
  gsize users;   /* N, and ciphertexts of a user and step; known from the first step on */
  gsize n_each;
  guint8 *ciphertexts; /* T N n_each: step by step, user by user */
};

PackedSum *
packed_sum_new (const PackedSumSettings *settings, AssayPaillierSetup *setup)
{
  PackedSum *sum = g_new0 (PackedSum, 1);

  sum->settings = *settings;
  sum->setup = setup;
  sum->fraction = assay_packing_fraction (settings->largest);
  return sum;
}

ASSAY_FREE_FUNC (PackedSum, packed_sum_free, assay_paillier_setup_free (self->setup),
                 g_free (self->ciphertexts))

static gboolean
begin (PackedSum *sum, AssayView sent, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);

  if (sent.rows > ASSAY_PACKING_MAX_USERS)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "users = %zu: expected at most %d, for whose sums packed weights have room",
                       sent.rows, ASSAY_PACKING_MAX_USERS);
  sum->users = sent.rows;
  sum->n_each = assay_packing_plaintexts (public_key, sent.cols);
  sum->ciphertexts
      = assay_alloc (sum->settings.steps * sum->users,
                     sum->n_each * assay_paillier_ciphertext_bytes (public_key), "ciphertexts",
                     error);
  return sum->ciphertexts != NULL;
}

/* What a user sends, to @ret_ciphertexts; they are number @first and on of all. */
static gboolean
send_update (const PackedSum *sum, const float *update, gsize n_weights, guint64 first,
             guint8 *ret_ciphertexts, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize plain = sum->n_each * assay_paillier_plaintext_bytes (public_key);
  g_autofree double *weights = g_new (double, n_weights);
  g_autofree guint8 *plaintexts = g_malloc0 (plain);
  gboolean is_done;

  for (gsize i = 0; i < n_weights; i++)
    weights[i] = (double) update[i];
  is_done = assay_packing_pack (public_key, weights, n_weights, sum->fraction, plaintexts, error)
            && assay_paillier_encrypt (sum->setup->encryptor, plaintexts, sum->n_each, first,
                                       ret_ciphertexts, error);
  explicit_bzero (weights, n_weights * sizeof *weights);
  explicit_bzero (plaintexts, plain);
  return is_done;
}

static gboolean
reveal (const PackedSum *sum, const guint8 *total, gsize n_weights, float *ret_sum, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize plain = sum->n_each * assay_paillier_plaintext_bytes (public_key);
  g_autofree guint8 *plaintexts = g_malloc (plain);
  g_autofree double *weights = g_new (double, n_weights);
  const gboolean is_done
      = assay_paillier_decrypt (sum->setup->decryptor, total, sum->n_each, plaintexts, error)
        && assay_packing_unpack (public_key, plaintexts, n_weights, sum->fraction, weights, error);

  explicit_bzero (plaintexts, plain);
  for (gsize i = 0; is_done && i < n_weights; i++)
    ret_sum[i] = (float) weights[i];
  return is_done;
}

gboolean
packed_sum_add (G_GNUC_UNUSED const Federation *federation, gsize step, AssayView sent,
                gpointer data, float *ret_sum, GError **error)
{
  PackedSum *sum = data;
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_autofree guint8 *total = NULL;

  if (sum->ciphertexts == NULL && !begin (sum, sent, error))
    return FALSE;
  for (gsize user = 0; user < sum->users; user++) {
    const guint64 first = (step * sum->users + user) * sum->n_each;
    guint8 *message = sum->ciphertexts + first * bytes;

    if (!send_update (sum, assay_view_row (sent, user), sent.cols, first, message, error))
      return assay_prefix (error, "user %zu: ", user);
    if (!federation_adds_up (sum->settings.cheats, step, user, sum->users))
      continue;
    if (total == NULL)
      total = g_memdup2 (message, sum->n_each * bytes);
    else if (!assay_paillier_add (public_key, message, sum->n_each, total, error))
      return FALSE;
  }
  return reveal (sum, total, sent.cols, ret_sum, error);
}

void
packed_sum_take (PackedSum *sum, AssayRelease *ret_release)
{
  AssayArrays *arrays = &ret_release->arrays;
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize n = sum->settings.steps * sum->users;
  gint64 *senders = g_new (gint64, n), *steps = g_new (gint64, n);

  for (gsize i = 0; i < n; i++) {
    senders[i] = (gint64) (i % sum->users);
    steps[i] = (gint64) (i / sum->users);
  }
  encrypted_sum_take_key (sum->setup, ret_release);
  assay_arrays_take (arrays, "senders", assay_array_take (ASSAY_INT64, 1, &n, senders));
  assay_arrays_take (arrays, "sent-steps", assay_array_take (ASSAY_INT64, 1, &n, steps));
  assay_arrays_take_rows (arrays, "ciphertexts", ASSAY_UINT8, n * sum->n_each,
                          assay_paillier_ciphertext_bytes (public_key),
                          g_steal_pointer (&sum->ciphertexts));
}
