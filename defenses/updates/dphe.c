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
 * ones one by one, and leaves no supports to hide (packed-sum.h).
 *
 * Source: Yonetani, Boddeti, Kitani and Sato 2017, "Privacy-Preserving Visual Learning Using Doubly
 * Permuted Homomorphic Encryption", sections 2.2 to 2.5 and algorithm 1. */
#include "core/base/error.h"
#include "defenses/updates/encrypted-sum.h"
#include "defenses/updates/packed-sum.h"

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

static gboolean
protect_packed (const AssayDefenseContext *context, AssayView secrets, AssayPaillierSetup *setup,
                AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)
{
  const Dphe *settings = context->settings;
  const PackedSumSettings how = { .largest = settings->largest,
                                  .steps = (gsize) settings->steps,
                                  .cheats = settings->cheats };
  g_autoptr (PackedSum) sum = packed_sum_new (&how, setup);
  const FederationProtocol aggregator = { .sum = packed_sum_add, .data = sum };
  g_auto (Federation) federation = { 0 };

  if (!federation_train (context, &settings->federation, secrets, &aggregator, &federation, error))
    return FALSE;
  federation_take (&federation, &settings->federation, ret_release, ret_truth);
  packed_sum_take (sum, ret_release);
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

static const char *
remark (gconstpointer settings)
{
  return assay_paillier_remark (((const Dphe *) settings)->key_folder);
}

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
                        "Whether two users may be alone, who learn each other's updates"),
      ASSAY_PARAM_STRING (Dphe, key_folder, "",
                          "Folder with a Paillier key that only its owner can read; empty: a key "
                          "from the seed of the run"),
      ASSAY_PARAM_BOOL (Dphe, packing, FALSE,
                        "Whether all weights are sent, several in one ciphertext (24 with 1024 "
                        "bits), in place of the sparse ones; then nothing is permuted, and "
                        "capacity, padding, permutations and renewal have no effect",
                        ASSAY_PARAM_EXTRA),
      ASSAY_PARAM_REAL (Dphe, largest, 8, 1e-30, 1e30, "",
                        "packing = yes: a bound on every weight, which all users know; the rest of "
                        "a weight's 32 bits are its digits",
                        ASSAY_PARAM_EXTRA),
      FEDERATION_CHEATS (Dphe)), .check = check, .lacks = lacks, .protect = protect,
    .remark = remark);
