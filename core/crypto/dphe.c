/* Sums of sparse vectors, doubly permuted. */
#include "core/crypto/dphe.h"

#include <string.h>

#include "core/base/error.h"
#include "core/crypto/encoding.h"

void
assay_dphe_messages_free (AssayDpheMessages *messages)
{
  if (messages == NULL)
    return;
  if (messages->values != NULL)
    explicit_bzero (messages->values,
                    messages->starts[messages->n_messages] * sizeof *messages->values);
  g_free (messages->values);
  g_free (messages->rows);
  g_free (messages->starts);
  g_free (messages);
}

ASSAY_FREE_FUNC (AssayDpheSum, assay_dphe_sum_free, g_free (self->ciphertexts),
                 g_free (self->exponents), g_free (self->holders))

/* ---- Permutations ---- */

void
assay_dphe_draw_permutation (AssayStream *stream, gsize count, gint64 *ret_permutation)
{
  g_autofree gsize *order = g_new (gsize, count);

  assay_stream_permutation (stream, count, order);
  for (gsize i = 0; i < count; i++)
    ret_permutation[i] = (gint64) order[i];
}

void
assay_dphe_invert (const gint64 *permutation, gsize count, gint64 *ret_inverse)
{
  for (gsize i = 0; i < count; i++)
    ret_inverse[permutation[i]] = (gint64) i;
}

static gint64
permute (const gint64 *permutation, gint64 row)
{
  return permutation != NULL ? permutation[row] : row;
}

/* ---- A user ---- */

/* F, for a vector with @n_values values that are not 0. */
static gsize
count_messages (const AssayDpheShape *shape, gsize n_values)
{
  if (!shape->is_padded || n_values == 0)
    return 1;
  return n_values / shape->capacity + (n_values % shape->capacity != 0);
}

/* The weights of a vector in random order, those that are not 0 first; and how many they are. */
static gsize
order_weights (const AssayDpheShape *shape, const double *weights, AssayStream *stream,
               gsize *ret_order)
{
  g_autofree gsize *drawn = g_new (gsize, shape->weights);
  gsize n_values = 0, next;

  assay_stream_permutation (stream, shape->weights, drawn);
  for (gsize i = 0; i < shape->weights; i++)
    if (weights[drawn[i]] != 0)
      ret_order[n_values++] = drawn[i];
  next = n_values;
  for (gsize i = 0; i < shape->weights; i++)
    if (weights[drawn[i]] == 0)
      ret_order[next++] = drawn[i];
  return n_values;
}

/* Fills the columns: values in the order drawn, then spare ones, which take the weights that come
 * next in it and, where it has come to its end, those of the first shards. */
static void
fill_columns (const AssayDpheShape *shape, const double *weights, gsize n_values,
              const gsize *order, AssayDpheMessages *messages)
{
  const gsize n_columns = messages->starts[messages->n_messages];

  for (gsize column = 0; column < n_columns; column++) {
    const gsize weight = order[column % shape->weights];

    messages->rows[column] = (gint64) weight;
    messages->values[column] = column < n_values ? weights[weight] : 0;
  }
}

/* So that spare columns do not stand last. */
static void
shuffle_columns (AssayDpheMessages *messages, AssayStream *stream)
{
  for (gsize s = 0; s < messages->n_messages; s++) {
    const gsize first = messages->starts[s];

    for (gsize left = messages->starts[s + 1] - first; left > 1; left--) {
      const gsize a = first + left - 1, b = first + assay_stream_below (stream, left);
      const gint64 row = messages->rows[a];
      const double value = messages->values[a];

      messages->rows[a] = messages->rows[b];
      messages->values[a] = messages->values[b];
      messages->rows[b] = row;
      messages->values[b] = value;
    }
  }
}

AssayDpheMessages *
assay_dphe_decompose (const AssayDpheShape *shape, const double *weights,
                      const AssayDphePermutations *permutations, AssayStream *stream,
                      GError **error)
{
  g_autofree gsize *order = g_new (gsize, shape->weights);
  AssayDpheMessages *messages;
  gsize n_values, each, n_columns;

  if (shape->is_padded && (shape->capacity < 1 || shape->capacity > shape->weights))
    return assay_fail_null (error, ASSAY_ERROR_PARAMETER,
                            "a capacity of %zu columns: expected 1 to %zu, the weights of a vector",
                            shape->capacity, shape->weights);
  n_values = order_weights (shape, weights, stream, order);
  messages = g_new0 (AssayDpheMessages, 1);
  messages->n_messages = count_messages (shape, n_values);
  messages->starts = g_new (gsize, messages->n_messages + 1);
  each = shape->is_padded ? shape->capacity : n_values;
  for (gsize s = 0; s <= messages->n_messages; s++)
    messages->starts[s] = s * each;
  n_columns = messages->n_messages * each;
  messages->rows = g_new (gint64, n_columns);
  messages->values = g_new (double, n_columns);
  fill_columns (shape, weights, n_values, order, messages);
  shuffle_columns (messages, stream);
  for (gsize column = 0; column < n_columns; column++)
    messages->rows[column]
        = permute (permutations->own, permute (permutations->shared, messages->rows[column]));
  return messages;
}

/* ---- The aggregator ---- */

/* zero^0 .. zero^count. */
static guint8 *
powers_of_zero (const AssayPaillierPublic *public_key, const guint8 *zero, gsize count,
                GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_autofree guint8 *powers = g_malloc0 ((count + 1) * bytes);

  powers[0] = 1;
  for (gsize i = 1; i <= count; i++) {
    memcpy (powers + i * bytes, powers + (i - 1) * bytes, bytes);
    if (!assay_paillier_add (public_key, zero, 1, powers + i * bytes, error))
      return assay_prefix_null (error, "the encryption of 0: ");
  }
  return g_steal_pointer (&powers);
}

/* Undoes phi^(n), and counts in which rows the message has columns. */
static gboolean
read_rows (const AssayDpheSent *sent, gsize message, gsize weights, gint64 *ret_rows,
           guint32 *inout_holders, GError **error)
{
  g_autofree guint8 *has_row = g_malloc0 (weights);

  for (gsize i = 0; i < sent->count; i++) {
    if (sent->rows[i] < 0 || (gsize) sent->rows[i] >= weights)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "message %zu, column %zu: row %" G_GINT64_FORMAT
                         ", where vectors have %zu",
                         message, i, sent->rows[i], weights);
    if (has_row[sent->rows[i]])
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "message %zu, column %zu: row %" G_GINT64_FORMAT " has a column already",
                         message, i, sent->rows[i]);
    has_row[sent->rows[i]] = 1;
    ret_rows[i] = permute (sent->own_inverse, sent->rows[i]);
    inout_holders[ret_rows[i]]++;
  }
  return TRUE;
}

/* Adds a batch that lies together: that of a message to that of the rows it has. */
static gboolean
add_batch (const AssayPaillierPublic *public_key, const AssayDpheSent *sent, guint8 *batch,
           gint64 *exponents, GError **error)
{
  AssayFloatingCiphertexts inout = { sent->count, batch, exponents };
  /* What is added is only read. */
  const AssayFloatingCiphertexts added
      = { sent->count, (guint8 *) sent->ciphertexts, (gint64 *) sent->exponents };

  return sent->exponents != NULL
             ? assay_encoding_add_floating (public_key, &added, &inout, error)
             : assay_paillier_add (public_key, sent->ciphertexts, sent->count, batch, error);
}

/* A message into the rows that it has, which are copied out and back. */
static gboolean
add_message (const AssayPaillierPublic *public_key, const AssayDpheSent *sent, const gint64 *rows,
             AssayDpheSum *sum, GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_autofree guint8 *batch = g_malloc (sent->count * bytes);
  g_autofree gint64 *exponents = g_new (gint64, sent->count);

  for (gsize i = 0; i < sent->count; i++) {
    memcpy (batch + i * bytes, sum->ciphertexts + (gsize) rows[i] * bytes, bytes);
    exponents[i] = sum->exponents != NULL ? sum->exponents[rows[i]] : 0;
  }
  if (!add_batch (public_key, sent, batch, exponents, error))
    return FALSE;
  for (gsize i = 0; i < sent->count; i++) {
    memcpy (sum->ciphertexts + (gsize) rows[i] * bytes, batch + i * bytes, bytes);
    if (sum->exponents != NULL)
      sum->exponents[rows[i]] = exponents[i];
  }
  return TRUE;
}

/* Enc0 for every message that has no column in a row; 0 has the exponent of 0. */
static void
begin_sum (AssayDpheSum *sum, const guint8 *zeros, gsize n_sent, gsize bytes)
{
  for (gsize row = 0; row < sum->weights; row++) {
    memcpy (sum->ciphertexts + row * bytes, zeros + (n_sent - sum->holders[row]) * bytes, bytes);
    if (sum->exponents != NULL)
      sum->exponents[row] = ASSAY_ENCODING_ZERO_EXPONENT;
  }
}

AssayDpheSum *
assay_dphe_aggregate (const AssayPaillierPublic *public_key, const guint8 *zero, gsize weights,
                      const AssayDpheSent *sent, gsize n_sent, GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_autoptr (AssayDpheSum) sum = g_new0 (AssayDpheSum, 1);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint8 *zeros = powers_of_zero (public_key, zero, n_sent, error);

  if (zeros == NULL)
    return NULL;
  sum->weights = weights;
  sum->holders = g_new0 (guint32, weights);
  sum->ciphertexts = g_malloc (weights * bytes);
  for (gsize s = 0; s < n_sent && sum->exponents == NULL; s++)
    if (sent[s].exponents != NULL) /* a message without columns has none */
      sum->exponents = g_new (gint64, weights);
  for (gsize s = 0; s < n_sent; s++) {
    g_ptr_array_add (rows, g_new (gint64, sent[s].count));
    if (!read_rows (&sent[s], s, weights, g_ptr_array_index (rows, s), sum->holders, error))
      return NULL;
  }
  begin_sum (sum, zeros, n_sent, bytes);
  for (gsize s = 0; s < n_sent; s++)
    if (!add_message (public_key, &sent[s], g_ptr_array_index (rows, s), sum, error))
      return assay_prefix_null (error, "message %zu: ", s);
  return g_steal_pointer (&sum);
}

/* ---- The key generator ---- */

gboolean
assay_dphe_reveal (const AssayPaillierDecryptor *decryptor, const AssayDpheSum *sum,
                   const gint64 *shared, guint8 *ret_plaintexts, GError **error)
{
  const AssayPaillierPublic *public_key = assay_paillier_decryptor_public (decryptor);
  const gsize plain = assay_paillier_plaintext_bytes (public_key);
  const gsize cipher = assay_paillier_ciphertext_bytes (public_key);
  g_autofree gsize *place = g_new (gsize, sum->weights); /* of each row among what is decrypted */
  g_autofree guint8 *ciphertexts = g_malloc (sum->weights * cipher);
  g_autofree guint8 *plaintexts = g_malloc (sum->weights * plain);
  gsize count = 0, without = G_MAXSIZE;
  gboolean is_done;

  for (gsize row = 0; row < sum->weights; row++) {
    const gboolean is_held = sum->holders[row] > 0;

    place[row] = is_held || without == G_MAXSIZE ? count : without;
    if (place[row] == count)
      memcpy (ciphertexts + count++ * cipher, sum->ciphertexts + row * cipher, cipher);
    if (!is_held)
      without = place[row];
  }
  is_done = assay_paillier_decrypt (decryptor, ciphertexts, count, plaintexts, error);
  for (gsize d = 0; d < sum->weights && is_done; d++)
    memcpy (ret_plaintexts + d * plain, plaintexts + place[permute (shared, (gint64) d)] * plain,
            plain);
  explicit_bzero (plaintexts, sum->weights * plain);
  return is_done;
}
