/* Sums by doubly permuted homomorphic encryption, and what is on record of them. */
#include "defenses/updates/encrypted-sum.h"

#include <math.h>

#include "core/base/error.h"
#include "core/crypto/encoding.h"

/* A message on record; its columns are those of the record from @first on. */
typedef struct {
  gsize sender, step, first, count;
} Message;

struct EncryptedSum {
  EncryptedSumSettings settings;
  AssayPaillierSetup *setup;
  AssayStream stream;
  gsize steps, users, weights;
  guint64 next_item; /* of the randomness of ciphertexts */
  guint8 *zero;      /* Enc0 */
  GArray *messages;  /* of Message */
  GArray *rows, *exponents;
  GByteArray *ciphertexts;
  gint64 *shared; /* (T or 1) x P */
  gint64 *own;    /* (T or 1) N x P */
};

EncryptedSum *
encrypted_sum_new (const EncryptedSumSettings *settings, AssayPaillierSetup *setup, gsize steps,
                   const AssayStreamKey *stream)
{
  EncryptedSum *sum = g_new0 (EncryptedSum, 1);

  sum->settings = *settings;
  sum->setup = setup;
  sum->stream = assay_stream (*stream, G_MAXUINT64 - 1);
  sum->steps = steps;
  sum->messages = g_array_new (FALSE, FALSE, sizeof (Message));
  sum->rows = g_array_new (FALSE, FALSE, sizeof (gint64));
  sum->exponents = g_array_new (FALSE, FALSE, sizeof (gint64));
  sum->ciphertexts = g_byte_array_new ();
  return sum;
}

ASSAY_FREE_FUNC (EncryptedSum, encrypted_sum_free, assay_paillier_setup_free (self->setup),
                 g_array_unref (self->messages), g_array_unref (self->rows),
                 g_array_unref (self->exponents), g_byte_array_unref (self->ciphertexts),
                 g_free (self->zero), g_free (self->shared), g_free (self->own))

/* ---- Permutations ---- */

static gsize
renewals (const EncryptedSum *sum)
{
  return sum->settings.renewal == RENEWAL_STEP ? sum->steps : 1;
}

/* phi of a step, or NULL. */
static const gint64 *
shared_of (const EncryptedSum *sum, gsize step)
{
  return sum->shared != NULL ? sum->shared + MIN (step, renewals (sum) - 1) * sum->weights : NULL;
}

static const gint64 *
own_of (const EncryptedSum *sum, gsize step, gsize user)
{
  return sum->own != NULL
             ? sum->own + (MIN (step, renewals (sum) - 1) * sum->users + user) * sum->weights
             : NULL;
}

static gint64 *
draw_permutations (EncryptedSum *sum, gsize count, GError **error)
{
  gint64 *all = assay_alloc (count, sum->weights * sizeof (gint64), "permutations", error);

  for (gsize i = 0; all != NULL && i < count; i++)
    assay_dphe_draw_permutation (&sum->stream, sum->weights, all + i * sum->weights);
  return all;
}

/* What the key generator hands out before the first step, and Enc0 of the aggregator. */
static gboolean
begin (EncryptedSum *sum, const Federation *federation, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  g_autofree guint8 *nothing = g_malloc0 (assay_paillier_plaintext_bytes (public_key));

  sum->users = federation->n_users;
  sum->weights = federation->models->cols;
  sum->zero = g_malloc (assay_paillier_ciphertext_bytes (public_key));
  if (sum->settings.permutations != PERMUTATIONS_NONE
      && (sum->shared = draw_permutations (sum, renewals (sum), error)) == NULL)
    return FALSE;
  if (sum->settings.permutations == PERMUTATIONS_DOUBLE
      && (sum->own = draw_permutations (sum, renewals (sum) * sum->users, error)) == NULL)
    return FALSE;
  return assay_paillier_encrypt (sum->setup->encryptor, nothing, 1, sum->next_item++, sum->zero,
                                 error);
}

/* ---- Users ---- */

/* The values of a user's messages, encrypted behind what is on record. */
static gboolean
encrypt_values (EncryptedSum *sum, const AssayDpheMessages *messages, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize count = messages->starts[messages->n_messages];
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  const gsize plain = count * assay_paillier_plaintext_bytes (public_key);
  const gsize ciphers = sum->ciphertexts->len, columns = sum->exponents->len;
  g_autofree guint8 *plaintexts = g_malloc (plain);
  gboolean is_done;

  if ((guint64) ciphers + count * bytes > G_MAXUINT)
    return assay_fail (error, ASSAY_ERROR_MEMORY,
                       "more than 4 GiB of ciphertexts: expected fewer steps or users");
  g_byte_array_set_size (sum->ciphertexts, (guint) (ciphers + count * bytes));
  g_array_set_size (sum->exponents, (guint) (columns + count));
  is_done = sum->settings.encoding == ENCODING_FIXED
                ? assay_encode_fixed (public_key, messages->values, count, (guint) sum->users,
                                      plaintexts, error)
                : assay_encode_floating (public_key, messages->values, count, plaintexts,
                                         &g_array_index (sum->exponents, gint64, columns), error);
  is_done = is_done
            && assay_paillier_encrypt (sum->setup->encryptor, plaintexts, count, sum->next_item,
                                       sum->ciphertexts->data + ciphers, error);
  sum->next_item += count;
  explicit_bzero (plaintexts, plain);
  return is_done;
}

static gboolean
send_update (EncryptedSum *sum, gsize step, gsize user, const float *update, GError **error)
{
  const AssayDpheShape shape
      = { .weights = sum->weights,
          .capacity = (gsize) ceil (sum->settings.capacity * (double) sum->weights),
          .is_padded = sum->settings.padding == PADDING_RANDOM };
  const AssayDphePermutations permutations = { shared_of (sum, step), own_of (sum, step, user) };
  g_autoptr (AssayDpheMessages) messages = NULL;
  g_autofree double *weights = g_new (double, sum->weights);

  for (gsize i = 0; i < sum->weights; i++)
    weights[i] = (double) update[i];
  messages = assay_dphe_decompose (&shape, weights, &permutations, &sum->stream, error);
  explicit_bzero (weights, sum->weights * sizeof *weights);
  if (messages == NULL)
    return FALSE;
  for (gsize s = 0; s < messages->n_messages; s++) {
    const Message message = { user, step, sum->rows->len + messages->starts[s],
                              messages->starts[s + 1] - messages->starts[s] };

    g_array_append_val (sum->messages, message);
  }
  g_array_append_vals (sum->rows, messages->rows, (guint) messages->starts[messages->n_messages]);
  return encrypt_values (sum, messages, error);
}

/* ---- Aggregator and key generator ---- */

/* The messages of the step, from number @first on, as the aggregator has them. */
static AssayDpheSum *
aggregate (EncryptedSum *sum, gsize first, const gint64 *undo, GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (assay_paillier_setup_public (sum->setup));
  const gsize last = sum->messages->len;
  g_autofree AssayDpheSent *sent = g_new (AssayDpheSent, last - first);
  gsize count = 0;

  for (gsize i = first; i < last; i++) {
    const Message *message = &g_array_index (sum->messages, Message, i);

    if (!federation_adds_up (sum->settings.cheats, message->step, message->sender, sum->users))
      continue;
    sent[count++] = (AssayDpheSent){
      .count = message->count,
      .rows = &g_array_index (sum->rows, gint64, message->first),
      .ciphertexts = sum->ciphertexts->data + message->first * bytes,
      .exponents = sum->settings.encoding == ENCODING_FLOATING
                       ? &g_array_index (sum->exponents, gint64, message->first)
                       : NULL,
      .own_inverse = undo != NULL ? undo + message->sender * sum->weights : NULL,
    };
  }
  return assay_dphe_aggregate (assay_paillier_setup_public (sum->setup), sum->zero, sum->weights,
                               sent, count, error);
}

static gboolean
reveal (const EncryptedSum *sum, const AssayDpheSum *encrypted, const gint64 *shared,
        double *ret_sum, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize plain = sum->weights * assay_paillier_plaintext_bytes (public_key);
  g_autofree guint8 *plaintexts = g_malloc (plain);
  g_autofree gint64 *exponents = g_new0 (gint64, sum->weights);
  gboolean is_done
      = assay_dphe_reveal (sum->setup->decryptor, encrypted, shared, plaintexts, error);

  for (gsize d = 0; d < sum->weights && encrypted->exponents != NULL; d++)
    exponents[d] = encrypted->exponents[shared != NULL ? (gsize) shared[d] : d];
  if (is_done && encrypted->exponents != NULL)
    is_done
        = assay_decode_floating (public_key, plaintexts, exponents, sum->weights, ret_sum, error);
  else if (is_done)
    assay_decode_fixed (public_key, plaintexts, sum->weights, ret_sum);
  explicit_bzero (plaintexts, plain);
  return is_done;
}

gboolean
encrypted_sum_add (const Federation *federation, gsize step, AssayView sent, gpointer data,
                   float *ret_sum, GError **error)
{
  EncryptedSum *sum = data;
  const gsize first = sum->messages->len;
  g_autoptr (AssayDpheSum) encrypted = NULL;
  g_autofree gint64 *undo = NULL;
  g_autofree double *total = NULL;

  if (sum->weights == 0 && !begin (sum, federation, error))
    return FALSE;
  for (gsize user = 0; user < sum->users; user++)
    if (!send_update (sum, step, user, assay_view_row (sent, user), error))
      return assay_prefix (error, "user %zu: ", user);
  if (sum->own != NULL) {
    undo = g_new (gint64, sum->users * sum->weights);
    for (gsize user = 0; user < sum->users; user++)
      assay_dphe_invert (own_of (sum, step, user), sum->weights, undo + user * sum->weights);
  }
  encrypted = aggregate (sum, first, undo, error);
  total = g_new (double, sum->weights);
  if (encrypted == NULL || !reveal (sum, encrypted, shared_of (sum, step), total, error))
    return FALSE;
  for (gsize d = 0; d < sum->weights; d++)
    ret_sum[d] = (float) total[d];
  return TRUE;
}

/* ---- The record ---- */

static void
take_messages (const EncryptedSum *sum, AssayArrays *arrays)
{
  const gsize n = sum->messages->len;
  gint64 *senders = g_new (gint64, n), *steps = g_new (gint64, n), *slots;
  gsize widest = 1;

  for (gsize i = 0; i < n; i++)
    widest = MAX (widest, g_array_index (sum->messages, Message, i).count);
  slots = g_new (gint64, n * widest);
  for (gsize i = 0; i < n; i++) {
    const Message *message = &g_array_index (sum->messages, Message, i);

    senders[i] = (gint64) message->sender;
    steps[i] = (gint64) message->step;
    for (gsize k = 0; k < widest; k++)
      slots[i * widest + k]
          = k < message->count ? g_array_index (sum->rows, gint64, message->first + k) : -1;
  }
  assay_arrays_take_rows (arrays, "slots", ASSAY_INT64, n, widest, slots);
  assay_arrays_take (arrays, "senders", assay_array_take (ASSAY_INT64, 1, &n, senders));
  assay_arrays_take (arrays, "sent-steps", assay_array_take (ASSAY_INT64, 1, &n, steps));
}

void
encrypted_sum_take_key (const AssayPaillierSetup *setup, AssayRelease *ret_release)
{
  const AssayPaillierKey *key = setup->key;
  const gboolean is_for_audits = assay_paillier_setup_is_reproducible (setup);
  const gsize bytes = assay_paillier_plaintext_bytes (&key->public_key);
  guint8 *modulus = g_malloc (bytes), *factors;

  ASSAY_SET_PARAMETER (ret_release, AssayUpdatesParameters, key,
                       is_for_audits ? ASSAY_UPDATES_KEY_SEED : ASSAY_UPDATES_KEY_SYSTEM);
  assay_number_write (key->public_key.n, bytes, modulus);
  assay_arrays_take (&ret_release->arrays, "modulus",
                     assay_array_take (ASSAY_UINT8, 1, &bytes, modulus));
  if (!is_for_audits)
    return;
  factors = g_malloc (bytes);
  assay_number_write (key->p, bytes / 2, factors);
  assay_number_write (key->q, bytes / 2, factors + bytes / 2);
  assay_arrays_take_rows (&ret_release->arrays, "factors", ASSAY_UINT8, 2, bytes / 2, factors);
}

void
encrypted_sum_take (EncryptedSum *sum, AssayRelease *ret_release)
{
  AssayArrays *arrays = &ret_release->arrays;
  const gsize bytes = assay_paillier_ciphertext_bytes (assay_paillier_setup_public (sum->setup));
  const gsize columns = sum->rows->len;

  take_messages (sum, arrays);
  encrypted_sum_take_key (sum->setup, ret_release);
  if (columns > 0)
    assay_arrays_take_rows (arrays, "ciphertexts", ASSAY_UINT8, columns, bytes,
                            g_memdup2 (sum->ciphertexts->data, columns * bytes));
  if (columns > 0 && sum->settings.encoding == ENCODING_FLOATING)
    assay_arrays_take (
        arrays, "exponents",
        assay_array_take (ASSAY_INT64, 1, &columns,
                          g_memdup2 (sum->exponents->data, columns * sizeof (gint64))));
  if (sum->shared != NULL)
    assay_arrays_take_rows (arrays, "permutations", ASSAY_INT64, renewals (sum), sum->weights,
                            g_steal_pointer (&sum->shared));
  if (sum->own != NULL)
    assay_arrays_take_rows (arrays, "own-permutations", ASSAY_INT64, renewals (sum) * sum->users,
                            sum->weights, g_steal_pointer (&sum->own));
}
