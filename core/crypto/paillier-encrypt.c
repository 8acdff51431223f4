/* Encryption, and sums of ciphertexts. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/crypto/paillier.h"

#define PIECE 64 /* ciphertexts of a piece of work: a multiple of ASSAY_POWER_GROUP */
#define BASE_ITEM G_MAXUINT64

struct AssayPaillierEncryptor {
  const AssayPaillierPublic *public_key;
  AssayPaillierRandomness randomness;
  gboolean has_stream;
  AssayStreamKey stream;
  AssayPower *power;      /* modulo n^2 */
  AssayPowerTable *table; /* of h_s; short alone */
  gboolean is_shared;     /* power and table are another's */
};

const char *const assay_paillier_randomness_names[] = { "textbook", "short", "none", NULL };

static AssayEntropy
item_entropy (const AssayPaillierEncryptor *encryptor, guint64 item)
{
  return assay_entropy (encryptor->has_stream ? &encryptor->stream : NULL, item);
}

/* h_s = (-y^2)^n mod n^2. */
static AssayPowerTable *
make_table (const AssayPaillierEncryptor *encryptor)
{
  const AssayPaillierPublic *public_key = encryptor->public_key;
  AssayEntropy entropy = item_entropy (encryptor, BASE_ITEM);
  AssayPowerTable *table;
  mpz_t *base = assay_numbers_new (1, 4 * public_key->bits);

  do
    assay_number_draw (&entropy, public_key->n, base[0]);
  while (mpz_sgn (base[0]) == 0);
  mpz_mul (base[0], base[0], base[0]);
  mpz_neg (base[0], base[0]);
  mpz_mod (base[0], base[0], public_key->n);
  assay_power_raise (encryptor->power, public_key->n, FALSE, base, 1);
  explicit_bzero (&entropy, sizeof entropy);
  table = assay_power_table_new (encryptor->power, base[0], public_key->bits / 16);
  assay_numbers_free (base, 1);
  return table;
}

AssayPaillierEncryptor *
assay_paillier_encryptor_new (const AssayPaillierPublic *public_key,
                              AssayPaillierRandomness randomness, AssayPowerPath path,
                              const AssayStreamKey *stream)
{
  AssayPaillierEncryptor *encryptor = g_new0 (AssayPaillierEncryptor, 1);

  encryptor->public_key = public_key;
  encryptor->randomness = randomness;
  encryptor->has_stream = stream != NULL;
  if (stream != NULL)
    encryptor->stream = *stream;
  encryptor->power = assay_power_new (public_key->n, path);
  if (randomness == ASSAY_PAILLIER_SHORT)
    encryptor->table = make_table (encryptor);
  return encryptor;
}

AssayPaillierEncryptor *
assay_paillier_encryptor_from (const AssayPaillierEncryptor *encryptor,
                               const AssayStreamKey *stream)
{
  AssayPaillierEncryptor *copy = g_memdup2 (encryptor, sizeof *encryptor);

  copy->has_stream = TRUE;
  copy->stream = *stream;
  copy->is_shared = TRUE;
  return copy;
}

void
assay_paillier_encryptor_free (AssayPaillierEncryptor *encryptor)
{
  if (encryptor == NULL)
    return;
  if (!encryptor->is_shared) {
    assay_power_table_free (encryptor->table);
    assay_power_free (encryptor->power);
  }
  explicit_bzero (encryptor, sizeof *encryptor); /* a stream's key draws all randomness again */
  g_free (encryptor);
}

/* ---- Encryption ---- */

typedef struct {
  const AssayPaillierEncryptor *encryptor;
  const guint8 *plaintexts;
  gsize count;
  guint64 first;
  guint8 *ciphertexts;
} Encryption;

/* r^n for r uniform below n. A number other than 0 that is not invertible would be a factor of n,
 * which a random number is once in 2^(|n|/2 - 1) draws: it is not looked for. */
static void
draw_textbook (const AssayPaillierEncryptor *encryptor, guint64 first, gsize count,
               mpz_t *ret_factors)
{
  for (gsize i = 0; i < count; i++) {
    AssayEntropy entropy = item_entropy (encryptor, first + i);

    do
      assay_number_draw (&entropy, encryptor->public_key->n, ret_factors[i]);
    while (mpz_sgn (ret_factors[i]) == 0);
    explicit_bzero (&entropy, sizeof entropy);
  }
  assay_power_raise (encryptor->power, encryptor->public_key->n, FALSE, ret_factors, count);
}

static void
draw_short (const AssayPaillierEncryptor *encryptor, guint64 first, gsize count, mpz_t *ret_factors)
{
  const gsize bytes = encryptor->public_key->bits / 16;
  guint8 *exponents = g_malloc (count * bytes);

  for (gsize i = 0; i < count; i++) {
    AssayEntropy entropy = item_entropy (encryptor, first + i);

    assay_entropy_fill (&entropy, bytes, exponents + i * bytes);
    explicit_bzero (&entropy, sizeof entropy);
  }
  assay_power_table_raise (encryptor->table, exponents, count, ret_factors);
  explicit_bzero (exponents, count * bytes);
  g_free (exponents);
}

static void
draw_factors (const AssayPaillierEncryptor *encryptor, guint64 first, gsize count,
              mpz_t *ret_factors)
{
  switch (encryptor->randomness) {
  case ASSAY_PAILLIER_TEXTBOOK:
    draw_textbook (encryptor, first, count, ret_factors);
    break;
  case ASSAY_PAILLIER_SHORT:
    draw_short (encryptor, first, count, ret_factors);
    break;
  case ASSAY_PAILLIER_NONE:
    for (gsize i = 0; i < count; i++)
      mpz_set_ui (ret_factors[i], 1);
  }
}

/* (1 + m n) f mod n^2 = f + n (m f mod n): one reduction modulo n instead of one modulo n^2. */
static gboolean
encrypt_one (const Encryption *encryption, gsize index, mpz_t plaintext, mpz_t inout_factor,
             GError **error)
{
  const AssayPaillierPublic *public_key = encryption->encryptor->public_key;
  const gsize plain = assay_paillier_plaintext_bytes (public_key);
  const gsize cipher = assay_paillier_ciphertext_bytes (public_key);

  assay_number_read (encryption->plaintexts + index * plain, plain, plaintext);
  if (mpz_cmp (plaintext, public_key->n) >= 0)
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "plaintext %zu is not below the modulus of %u bits", index,
                       public_key->bits);
  mpz_mul (plaintext, plaintext, inout_factor);
  mpz_mod (plaintext, plaintext, public_key->n);
  mpz_addmul (inout_factor, plaintext, public_key->n);
  if (mpz_cmp (inout_factor, public_key->n2) >= 0)
    mpz_sub (inout_factor, inout_factor, public_key->n2);
  assay_number_write (inout_factor, cipher, encryption->ciphertexts + index * cipher);
  return TRUE;
}

static gboolean
encrypt_piece (gsize piece, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Encryption *encryption = data;
  const gsize first = piece * PIECE;
  const gsize count = MIN (PIECE, encryption->count - first);
  const gsize room = 4 * encryption->encryptor->public_key->bits;
  mpz_t *factors = assay_numbers_new (count, room);
  gboolean is_done = TRUE;
  g_auto (mpz_t) plaintext;

  assay_number_init (plaintext, room);
  draw_factors (encryption->encryptor, encryption->first + first, count, factors);
  for (gsize i = 0; i < count && is_done; i++)
    is_done = encrypt_one (encryption, first + i, plaintext, factors[i], error);
  assay_numbers_free (factors, count);
  return is_done;
}

gboolean
assay_paillier_encrypt (const AssayPaillierEncryptor *encryptor, const guint8 *plaintexts,
                        gsize count, guint64 first, guint8 *ret_ciphertexts, GError **error)
{
  Encryption encryption = { encryptor, plaintexts, count, first, ret_ciphertexts };

  return assay_parallel_try (assay_pieces (count, PIECE), encrypt_piece, &encryption, error);
}

/* ---- Sums ---- */

static gboolean
check_unit (const AssayPaillierPublic *public_key, const mpz_t number, gsize index, GError **error)
{
  g_auto (mpz_t) common;

  assay_number_init (common, public_key->bits);
  mpz_gcd (common, number, public_key->n);
  if (mpz_cmp_ui (common, 1) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "ciphertext %zu is not invertible: it has a factor in common with the "
                       "modulus",
                       index);
  return TRUE;
}

typedef struct {
  const AssayPaillierPublic *public_key;
  const guint8 *added;
  gsize count;
  guint8 *sums;
} Addition;

/* The products of a piece, and their product modulo n: it is invertible when all of them are, so
 * that one greatest common divisor serves a piece. */
static gboolean
multiply_piece (const Addition *addition, gsize first, gsize count, mpz_t *numbers, GError **error)
{
  const AssayPaillierPublic *public_key = addition->public_key;
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  mpz_ptr all = numbers[0], sum = numbers[1], added = numbers[2];

  mpz_set_ui (all, 1);
  for (gsize i = first; i < first + count; i++) {
    if (!assay_paillier_read_ciphertext (public_key, addition->sums, i, sum, error)
        || !assay_paillier_read_ciphertext (public_key, addition->added, i, added, error))
      return FALSE;
    mpz_mul (sum, sum, added);
    mpz_mod (sum, sum, public_key->n2);
    mpz_mul (all, all, sum);
    mpz_mod (all, all, public_key->n);
    assay_number_write (sum, bytes, addition->sums + i * bytes);
  }
  if (check_unit (public_key, all, first, NULL))
    return TRUE;
  for (gsize i = first; i < first + count; i++) {
    assay_number_read (addition->sums + i * bytes, bytes, sum);
    if (!check_unit (public_key, sum, i, error))
      return FALSE;
  }
  g_assert_not_reached ();
}

static gboolean
add_piece (gsize piece, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Addition *addition = data;
  const gsize first = piece * PIECE;
  mpz_t *numbers = assay_numbers_new (3, 4 * addition->public_key->bits);
  const gboolean is_done
      = multiply_piece (addition, first, MIN (PIECE, addition->count - first), numbers, error);

  assay_numbers_free (numbers, 3);
  return is_done;
}

gboolean
assay_paillier_add (const AssayPaillierPublic *public_key, const guint8 *added, gsize count,
                    guint8 *inout_ciphertexts, GError **error)
{
  Addition addition = { public_key, added, count, inout_ciphertexts };

  return assay_parallel_try (assay_pieces (count, PIECE), add_piece, &addition, error);
}

gboolean
assay_paillier_shift (const AssayPaillierPublic *public_key, guint bits, guint8 *inout_ciphertext,
                      GError **error)
{
  const gsize bytes = assay_paillier_ciphertext_bytes (public_key);
  g_auto (mpz_t) number;

  assay_number_init (number, 4 * public_key->bits);
  if (!assay_paillier_read_ciphertext (public_key, inout_ciphertext, 0, number, error)
      || !check_unit (public_key, number, 0, error))
    return FALSE;
  for (guint i = 0; i < bits; i++) {
    mpz_mul (number, number, number);
    mpz_mod (number, number, public_key->n2);
  }
  assay_number_write (number, bytes, inout_ciphertext);
  return TRUE;
}
