/* Vectors encrypted by Paillier's cryptosystem, number by number (Paillier 1999; lemma 3 of
 * Yonetani et al. 2017, "Privacy-Preserving Visual Learning Using Doubly Permuted Homomorphic
 * Encryption": "no one can identify v from zeta (v) without a decryption key").
 *
 * What is claimed is that ciphertexts of any two vectors of one length cannot be told apart,
 * epsilon 0: for adversaries of limited means, as always in cryptography. With textbook or short
 * randomness an audit has nothing to find. Without randomness a number always gives the same
 * ciphertext, and with the floating-point encoding of python-paillier its exponent stays in clear:
 * both lose, at once. So silence about the others is that of a game which sees such a leak.
 *
 * A secret of c numbers becomes c ciphertexts, as rows of 24-bit words, the least significant
 * first; float32 holds them exactly. With floating point c exponents follow. The key is drawn from
 * `key_seed`: everyone could decrypt, so that it is one for audits. Attackers are not given it. */
#include <string.h>

#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/crypto/encoding.h"
#include "core/crypto/paillier-setup.h"
#include "defenses/mechanisms/row-mechanism.h"

#define WORD_BYTES 3
#define BLOCK 1024 /* ciphertexts that are in memory at once, about */

typedef enum { FIXED, FLOATING } Encoding;

static const char *const encodings[] = { "fixed", "floating", NULL };

typedef struct {
  guint bits;
  guint randomness;
  guint encoding;
  gint64 key_seed;
} PaillierEncryption;

/* ---- The key ---- */

/* A key and what encrypts with it, made once for all runs of the process, and kept to its end. */
static const AssayPaillierSetup *
encryption_of (const PaillierEncryption *settings)
{
  static GMutex lock;
  static GHashTable *known;
  g_autofree char *name
      = g_strdup_printf ("%s %s %" G_GINT64_FORMAT, assay_paillier_length_names[settings->bits],
                         assay_paillier_randomness_names[settings->randomness], settings->key_seed);
  AssayPaillierSetup *encryption;

  g_mutex_lock (&lock);
  if (known == NULL)
    known = g_hash_table_new (g_str_hash, g_str_equal);
  encryption = g_hash_table_lookup (known, name);
  if (encryption == NULL) {
    const AssayStreamKey stream
        = assay_stream_key ((guint64) settings->key_seed, 0, "paillier-encryption",
                            assay_paillier_length_names[settings->bits]);

    encryption = assay_paillier_setup_new (
        &(AssayPaillierChoice){
            .length = settings->bits, .randomness = settings->randomness, .seed = stream },
        &stream, NULL);
    g_hash_table_insert (known, g_steal_pointer (&name), encryption);
  }
  g_mutex_unlock (&lock);
  return encryption;
}

/* ---- The mechanism ---- */

static gsize
words_of (const PaillierEncryption *settings)
{
  return assay_pieces (assay_paillier_lengths[settings->bits] / 4, WORD_BYTES);
}

static void
size (gconstpointer data, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const PaillierEncryption *settings = data;

  *ret_inputs = cols;
  *ret_outputs = cols * (words_of (settings) + (settings->encoding == FLOATING));
}

static AssayBudget
budget (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols)
{
  return (AssayBudget){ .epsilon = 0 };
}

/* Pair 0: ones and zeros, whose exponents differ. All others: normal numbers. No domain is
 * declared: any two vectors are neighbours, so that there are no extremes to go to, and a pair more
 * costs as many encryptions as the audit has runs. */
static void
pair (G_GNUC_UNUSED gconstpointer settings, gsize cols, guint index, AssayStream *stream,
      float *ret_first, float *ret_second)
{
  for (gsize j = 0; j < cols; j++) {
    ret_first[j] = index == 0 ? 1 : (float) assay_stream_normal (stream);
    ret_second[j] = index == 0 ? 0 : (float) assay_stream_normal (stream);
  }
}

/* A row as plaintexts, with exponents (floating alone). */
typedef struct {
  gsize bytes;
  guint8 *plaintexts; /* with room for some rows more */
  gint64 *exponents;
} Plain;

ASSAY_LOCAL_CLEAR (Plain, plain_clear, explicit_bzero (self->plaintexts, self->bytes),
                   g_free (self->plaintexts), g_free (self->exponents))

static Plain
plain_of (const PaillierEncryption *settings, gsize rows, gsize cols)
{
  const gsize bytes = rows * cols * assay_paillier_lengths[settings->bits] / 8;

  return (Plain){ bytes, g_malloc (bytes), g_new0 (gint64, cols) };
}

static gboolean
encode (const PaillierEncryption *settings, const float *row, gsize cols, Plain *inout_plain,
        GError **error)
{
  const AssayPaillierPublic *public_key = &encryption_of (settings)->key->public_key;
  g_autofree double *weights = g_new (double, cols);
  gboolean is_done;

  for (gsize j = 0; j < cols; j++)
    weights[j] = (double) row[j];
  is_done = settings->encoding == FIXED
                ? assay_encode_fixed (public_key, weights, cols, 1, inout_plain->plaintexts, error)
                : assay_encode_floating (public_key, weights, cols, inout_plain->plaintexts,
                                         inout_plain->exponents, error);
  explicit_bzero (weights, cols * sizeof *weights);
  return is_done;
}

static void
write_words (const guint8 *ciphertext, gsize bytes, float *ret_words)
{
  for (gsize first = 0; first < bytes; first += WORD_BYTES) {
    guint32 word = 0;

    for (gsize i = MIN (first + WORD_BYTES, bytes); i-- > first;)
      word = word << 8 | ciphertext[i];
    ret_words[first / WORD_BYTES] = (float) word;
  }
}

/* One row encrypted @count times. */
static void
run (gconstpointer data, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const PaillierEncryption *settings = data;
  const AssayPaillierSetup *encryption = encryption_of (settings);
  const gsize plain = cols * assay_paillier_plaintext_bytes (&encryption->key->public_key);
  const gsize cipher = assay_paillier_ciphertext_bytes (&encryption->key->public_key);
  const gsize words = words_of (settings), block = MAX (BLOCK / cols, 1);
  const AssayStreamKey own = { { assay_stream_u32 (stream), assay_stream_u32 (stream) } };
  g_autoptr (AssayPaillierEncryptor) encryptor
      = assay_paillier_encryptor_from (encryption->encryptor, &own);
  g_autofree guint8 *ciphertexts = g_malloc (block * cols * cipher);
  g_auto (Plain) row = plain_of (settings, block, cols);

  if (!encode (settings, input, cols, &row, NULL))
    g_assert_not_reached (); /* a float32 fits, and inputs are finite */
  for (gsize i = 1; i < block; i++)
    memcpy (row.plaintexts + i * plain, row.plaintexts, plain);
  for (gsize first = 0; first < count; first += block) {
    const gsize runs = MIN (block, count - first);

    if (!assay_paillier_encrypt (encryptor, row.plaintexts, runs * cols, first * cols, ciphertexts,
                                 NULL))
      g_assert_not_reached (); /* plaintexts are those of the encoding */
    for (gsize i = 0; i < runs; i++) {
      for (gsize j = 0; j < cols; j++) {
        write_words (ciphertexts + (i * cols + j) * cipher, cipher, ret_outputs);
        ret_outputs += words;
      }
      for (gsize j = 0; j < cols && settings->encoding == FLOATING; j++)
        *ret_outputs++ = (float) row.exponents[j];
    }
  }
}

/* ---- The defense ---- */

static gboolean
check_secrets (const PaillierEncryption *settings, AssayView secrets, GError **error)
{
  g_auto (Plain) row = plain_of (settings, 1, secrets.cols);

  for (gsize i = 0; i < secrets.rows; i++)
    if (!encode (settings, assay_view_row (secrets, i), secrets.cols, &row, error))
      return assay_prefix (error, "secret %zu: ", i);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  return check_secrets (context->settings, secrets, error)
         && row_mechanism_protect (context, secrets, ret_release, ret_truth, error);
}

static const char *
remark (G_GNUC_UNUSED gconstpointer settings)
{
  return ASSAY_PAILLIER_SEED_REMARK;
}

ASSAY_DEFENSE (paillier_encryption, "paillier-encryption",
  .summary = "Encrypt vectors number by number with Paillier's cryptosystem",
  .reference = { "Paillier 1999, Public-Key Cryptosystems Based on Composite Degree Residuosity "
                 "Classes; Yonetani et al. 2017, Privacy-Preserving Visual Learning Using Doubly "
                 "Permuted Homomorphic Encryption",
                 "section 4 of the former; lemma 3 of the latter" },
  ASSAY_SETTINGS (PaillierEncryption,
    ASSAY_PARAM_CHOICE (PaillierEncryption, bits, 0, assay_paillier_length_names,
                        "Length of the modulus"),
    ASSAY_PARAM_CHOICE (PaillierEncryption, randomness, ASSAY_PAILLIER_TEXTBOOK,
                        assay_paillier_randomness_names,
                        "Randomness of a ciphertext: r^n with any r; a power of one base with an "
                        "exponent of half the length (Damgard, Jurik and Nielsen); or none, a "
                        "control that leaks"),
    ASSAY_PARAM_CHOICE (PaillierEncryption, encoding, FIXED, encodings,
                        "How a number is encoded: fixed point; or floating point as in "
                        "python-paillier, with the exponent in clear, which leaks"),
    ASSAY_PARAM_INT (PaillierEncryption, key_seed, 1, 0, 1000000, "",
                     "Seed of the key: whoever knows it can decrypt")),
  .produces = ASSAY_RELEASE_VECTORS,
  .claim = "the ciphertexts of any two vectors of one length cannot be told apart with limited "
           "computing power: epsilon 0",
  ASSAY_MECHANISM (
    .neighbours = "any two vectors of one length",
    .budget = budget,
    .size = size,
    .n_proposed = 1,
    .pair = pair,
    .run = run),
  .protect = protect,
  .remark = remark);
