/* Doubly permuted homomorphic encryption: users send the values of sparse updates encrypted, and
 * where these stand permuted twice; the aggregator releases the mean as `average` does.
 *
 * The protocol, with shapes, is core/crypto/dphe.h's; the numbers are those of fixed point with 40
 * bits after the point, or python-paillier's floating point, whose exponents are in clear. What
 * parties see, as grants: everyone the models; the aggregator `aggregator; messages`, sums and all
 * that was sent, with its own permutation of each user undone; who intercepts messages `messages`,
 * with `user` as one of the users, who share phi; the key generator `key-generator; user;
 * aggregator`. The paper does not say whether permutations are drawn anew in each step: `renewal`.
 *
 * The key is drawn from the run's seed, so that others can repeat every byte: it protects nothing
 * outside of an audit, and the release is marked so (its parameter `key`). A folder with a key of
 * one's own (core/crypto/key-folder.h) can be named instead, whose factors stand in no release.
 *
 * With `packing` all weights are sent, several in a ciphertext, which costs less than the sparse
 * ones one by one, and leaves no supports to hide.
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", sections 2.2 to 2.5 and algorithm 1. */
#include "core/base/error.h"
#include "core/base/free.h"
#include "core/crypto/packing.h"
#include "core/crypto/paillier-setup.h"
#include "core/plugin/callbacks.h"
#include "defenses/updates/encrypted-sum.h"
#include "defenses/updates/federation.h"

/* Items of the release's key that are no secrets' (see federation.c for others). */
#define ITEM_KEY (G_MAXUINT64 - 2)
#define ITEM_MESSAGES (G_GUINT64_CONSTANT (3) << 61)

static const char *const paddings[] = { "random", "none", NULL };
static const char *const permutations[] = { "double", "single", "none", NULL };
static const char *const renewals[] = { "step", "fixed", NULL };
static const char *const encodings[] = { "fixed", "floating", NULL };

typedef struct {
  union {
    FederationSettings federation;
    struct {
      FEDERATION_FIELDS;
    };
  };
  double capacity;
  guint padding;
  guint permutations;
  guint renewal;
  guint encoding;
  guint randomness;
  guint bits;
  bool allow_two;
  char *key_folder;
  bool packing;
  double largest;
  bool cheats;
} Dphe;

/* ---- Packed sums ---- */

/* Sums of what users send, with several weights in one ciphertext (core/crypto/packing.h). */
typedef struct {
  const Dphe *settings;
  AssayPaillierSetup *setup;
  gint fraction; /* bits after the point */
  gsize users;   /* N, and ciphertexts of a user and step; known from the first step on */
  gsize n_each;
  guint8 *ciphertexts; /* T N n_each: step by step, user by user */
} PackedSum;

ASSAY_LOCAL_CLEAR (PackedSum, packed_sum_clear, assay_paillier_setup_free (self->setup),
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
      = assay_alloc ((gsize) sum->settings->steps * sum->users,
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

/* The `sum` of a FederationProtocol whose data is a PackedSum. ASSAY_ERROR_NUMERIC names the
 * largest weight where it is above the bound; ASSAY_ERROR_PARAMETER: more users than a slot has
 * room for. */
static gboolean
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
    if (!federation_adds_up (sum->settings->cheats, step, user, sum->users))
      continue;
    if (total == NULL)
      total = g_memdup2 (message, sum->n_each * bytes);
    else if (!assay_paillier_add (public_key, message, sum->n_each, total, error))
      return FALSE;
  }
  return reveal (sum, total, sent.cols, ret_sum, error);
}

/* What the parties saw, as arrays of a release of kind updates. */
static void
packed_sum_take (PackedSum *sum, AssayRelease *ret_release)
{
  AssayArrays *arrays = &ret_release->arrays;
  const AssayPaillierPublic *public_key = assay_paillier_setup_public (sum->setup);
  const gsize n = (gsize) sum->settings->steps * sum->users;
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

/* ---- The defense ---- */

/* A stream of its own, named by an item of another. */
static AssayStreamKey
key_of_item (AssayStreamKey from, guint64 item)
{
  AssayStream stream = assay_stream (from, item);

  return (AssayStreamKey){ { assay_stream_u32 (&stream), assay_stream_u32 (&stream) } };
}

static AssayPaillierSetup *
set_up (const AssayDefenseContext *context, const AssayStreamKey *stream, GError **error)
{
  const Dphe *settings = context->settings;

  return assay_paillier_setup_new (
      &(AssayPaillierChoice){ .length = settings->bits,
                              .randomness = settings->randomness,
                              .folder = settings->key_folder,
                              .seed = key_of_item (context->common_stream, ITEM_KEY) },
      stream, error);
}

/* Takes @setup. */
static gboolean
protect_packed (const AssayDefenseContext *context, AssayView secrets, AssayPaillierSetup *setup,
                AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)
{
  const Dphe *settings = context->settings;
  g_auto (PackedSum) sum = { .settings = settings,
                             .setup = setup,
                             .fraction = assay_packing_fraction (settings->largest) };
  const FederationProtocol aggregator = { .sum = packed_sum_add, .data = &sum };
  g_auto (Federation) federation = { 0 };

  if (!federation_train (context, &settings->federation, secrets, &aggregator, &federation, error))
    return FALSE;
  federation_take (&federation, &settings->federation, ret_release, ret_truth);
  packed_sum_take (&sum, ret_release);
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const Dphe *settings = context->settings;
  const EncryptedSumSettings how = { .capacity = settings->capacity,
                                     .padding = settings->padding,
                                     .permutations = settings->permutations,
                                     .renewal = settings->renewal,
                                     .encoding = settings->encoding,
                                     .cheats = settings->cheats };
  const AssayStreamKey stream = key_of_item (context->stream, ITEM_MESSAGES);
  AssayPaillierSetup *setup = set_up (context, &stream, error);
  g_autoptr (EncryptedSum) sum = NULL;
  g_auto (Federation) federation = { 0 };
  FederationProtocol aggregator = { .sum = encrypted_sum_add };

  if (setup == NULL)
    return FALSE;
  if (settings->packing)
    return protect_packed (context, secrets, setup, ret_release, ret_truth, error);
  sum = encrypted_sum_new (&how, setup, (gsize) settings->steps, &stream);
  aggregator.data = sum;
  if (!federation_train (context, &settings->federation, secrets, &aggregator, &federation, error))
    return FALSE;
  federation_take (&federation, &settings->federation, ret_release, ret_truth);
  encrypted_sum_take (sum, ret_release);
  return TRUE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const Dphe *settings = data;

  if (settings->packing && settings->encoding != ENCODING_FIXED)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "packing = yes with encoding = floating: expected fixed, since weights that "
                       "share a ciphertext have one exponent");
  return federation_check_users (settings->users, settings->allow_two, error)
         && federation_check (data, shape, error);
}

/* Nobody sees updates in clear, and packed ones have no supports to permute. */
static const char *const *
lacks (gconstpointer settings)
{
  static const char *const sparse[] = { "locals", "masked", NULL };
  static const char *const packed[]
      = { "locals", "masked", "slots", "permutations", "own-permutations", NULL };

  return ((const Dphe *) settings)->packing ? packed : sparse;
}

ASSAY_OF_SETTINGS (const char *, remark, Dphe, assay_paillier_remark (settings->key_folder))

UPDATES_DEFENSE (
    dphe, "dphe",
    .summary
    = "Users train together; updates are summed under encryption, their supports permuted twice",
    .reference = { ASSAY_PAPER_DPHE, "sections 2.2 to 2.5, algorithm 1" },
    ASSAY_SETTINGS (Dphe,
      FEDERATION_PARAMETERS (Dphe),
      ASSAY_PARAM_REAL (Dphe, capacity, 0.1, 1e-9, 1, "share of weights",
                        "Columns of a message (M), rounded up; an update with more values goes "
                        "into several messages"),
      ASSAY_PARAM_CHOICE (Dphe, padding, PADDING_RANDOM, paddings,
                          "Spare columns of a message: random, encryptions of 0 in random rows; "
                          "none, as many columns as there are values"),
      ASSAY_PARAM_CHOICE (Dphe, permutations, PERMUTATIONS_DOUBLE, permutations,
                          "Which permutations of rows there are: double, one that users share and "
                          "one of each user; single, the shared one; none"),
      ASSAY_PARAM_CHOICE (Dphe, renewal, RENEWAL_STEP, renewals,
                          "Whether permutations are drawn anew in each step, or once"),
      ASSAY_PARAM_CHOICE (Dphe, encoding, ENCODING_FIXED, encodings,
                          "How numbers are encoded: fixed point, or floating point as in "
                          "python-paillier, with exponents in clear"),
      ASSAY_PARAM_CHOICE (Dphe, randomness, ASSAY_PAILLIER_SHORT, assay_paillier_randomness_names,
                          "Randomness of ciphertexts: r^n with any r; a power of one base with an "
                          "exponent of half the length; or none, a control"),
      ASSAY_PARAM_CHOICE (Dphe, bits, 0, assay_paillier_length_names, "Length of the modulus"),
      ASSAY_PARAM_BOOL (Dphe, allow_two, FALSE,
                        "Whether there may be two users alone, who then learn each other's "
                        "updates from the sum"),
      ASSAY_PARAM_STRING (Dphe, key_folder, "",
                          "Folder with a Paillier key that only its owner can read; empty: a key "
                          "from the seed of the run"),
      ASSAY_PARAM_BOOL (Dphe, packing, FALSE,
                        "Whether all weights are sent, several in one ciphertext (24 with 1024 "
                        "bits), in place of the sparse ones; then nothing is permuted, and "
                        "capacity, padding, permutations and renewal have no effect",
                        ASSAY_PARAM_EXTRA),
      ASSAY_PARAM_REAL (Dphe, largest, 8, 1e-30, 1e30, "",
                        "packing = yes: a bound on every weight, which all users know; a weight "
                        "has 32 bits, and those that this bound leaves are its fraction",
                        ASSAY_PARAM_EXTRA),
      FEDERATION_CHEATS (Dphe)), .check = check, .lacks = lacks, .protect = protect,
    .remark = remark);
