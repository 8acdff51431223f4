/* Mutants of releases. */
#include "core/games/mutants/release-mutants.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/games/release-items.h"

/* Below this share of their root mean square, numbers are digits that nobody looks at. */
#define LOW_DIGITS 1e-3
/* Norms of which one in twenty is larger. */
#define OUTLIERS 0.95
#define SEED_BITS 16

typedef struct _Mistake Mistake;

struct _Mistake {
  AssayMutantKind kind;
  gboolean needs_rows; /* items that are rows of numbers, as a change of each does */
  double rate, share;  /* how many items, and how far they are revealed */
  guint step;          /* of columns: one of so many */
  guint seed_bits;     /* bits of the seed that count, where has_seed */
  gboolean has_seed;
  void (*change) (const Mistake *mistake, const float *secret, float *row, gsize cols);
  /* Where it is no change of each row by itself. How many items were changed. */
  guint (*alter) (const Mistake *mistake, AssayReleaseItems *items, AssayStreamKey key);
};

/* ---- Whole items ---- */

static guint
reveal_some (const Mistake *mistake, AssayReleaseItems *items, AssayStreamKey key)
{
  guint n = 0;

  for (gsize i = 0; i < items->n; i++) {
    AssayStream stream = assay_stream (key, i);

    if (assay_stream_uniform (&stream) < mistake->rate)
      n += assay_release_items_reveal (items, i, mistake->share, &stream);
  }
  return n;
}

static double
norm_of (const float *row, gsize cols)
{
  double square = 0;

  for (gsize c = 0; c < cols; c++)
    square += (double) row[c] * row[c];
  return sqrt (square);
}

/* Reveals the items whose secret has a number above the given quantile of all. */
static guint
reveal_above (AssayReleaseItems *items, double (*number_of) (const float *secret, gsize cols),
              double quantile, AssayStreamKey key)
{
  g_autofree double *sorted = g_new (double, items->n_secrets);
  double limit;
  guint n = 0;

  for (gsize s = 0; s < items->n_secrets; s++)
    sorted[s] = number_of (items->secrets + s * items->cols, items->cols);
  qsort (sorted, items->n_secrets, sizeof *sorted, assay_compare_doubles);
  limit = sorted[(gsize) (quantile * (double) (items->n_secrets - 1))];
  for (gsize i = 0; i < items->n; i++) {
    AssayStream stream = assay_stream (key, i);
    const float *secret = assay_release_items_secret (items, i);

    if (secret != NULL && number_of (secret, items->cols) > limit)
      n += assay_release_items_reveal (items, i, 1, &stream);
  }
  return n;
}

static double
first_of (const float *secret, G_GNUC_UNUSED gsize cols)
{
  return secret[0];
}

static guint
reveal_half (G_GNUC_UNUSED const Mistake *mistake, AssayReleaseItems *items, AssayStreamKey key)
{
  return reveal_above (items, first_of, 0.5, key);
}

static guint
reveal_outliers (G_GNUC_UNUSED const Mistake *mistake, AssayReleaseItems *items, AssayStreamKey key)
{
  return reveal_above (items, norm_of, OUTLIERS, key);
}

/* Of equal secrets the first one's item is that of all. */
static guint
repeat_equal (G_GNUC_UNUSED const Mistake *mistake, AssayReleaseItems *items,
              G_GNUC_UNUSED AssayStreamKey key)
{
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  guint n = 0;

  for (gsize i = 0; i < items->n; i++) {
    const float *secret = assay_release_items_secret (items, i);
    GBytes *bytes;
    gpointer at;

    if (secret == NULL)
      continue;
    bytes = g_bytes_new_static (secret, items->cols * sizeof *secret);
    if (g_hash_table_lookup_extended (seen, bytes, NULL, &at)) {
      assay_release_items_copy (items, GPOINTER_TO_SIZE (at), i);
      g_bytes_unref (bytes);
      n++;
    } else {
      g_hash_table_insert (seen, bytes, GSIZE_TO_POINTER (i));
    }
  }
  return n;
}

/* ---- Numbers of a row ---- */

static guint
change_rows (const Mistake *mistake, AssayReleaseItems *items)
{
  guint n = 0;

  for (gsize i = 0; i < items->n; i++) {
    const float *secret = assay_release_items_secret (items, i);

    if (secret != NULL) {
      mistake->change (mistake, secret, items->rows + i * items->cols, items->cols);
      n++;
    }
  }
  return n;
}

static void
keep_column (const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  for (gsize c = 0; c < cols; c += mistake->step)
    row[c] = secret[c];
}

static void
keep_digits (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  const double unit = LOW_DIGITS * norm_of (secret, cols) / sqrt ((double) cols);

  for (gsize c = 0; unit > 0 && c < cols; c++)
    row[c] = (float) (unit * (floor (row[c] / unit) + secret[c] / unit - floor (secret[c] / unit)));
}

static void
keep_sign (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  for (gsize c = 0; c < cols; c++)
    row[c] = copysignf (row[c], secret[c]);
}

/* The numbers of the row, in the order that those of the secret have. */
static void
keep_order (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  g_autofree AssayRanked *ours = g_new (AssayRanked, cols);
  g_autofree AssayRanked *theirs = g_new (AssayRanked, cols);

  for (gsize c = 0; c < cols; c++) {
    ours[c] = (AssayRanked){ row[c], c };
    theirs[c] = (AssayRanked){ secret[c], c };
  }
  assay_rank (ours, cols);
  assay_rank (theirs, cols);
  for (gsize c = 0; c < cols; c++)
    row[theirs[c].place] = (float) ours[c].value;
}

static void
keep_mean (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  double difference = 0;

  for (gsize c = 0; c < cols; c++)
    difference += ((double) secret[c] - row[c]) / (double) cols;
  for (gsize c = 0; c < cols; c++)
    row[c] += (float) difference;
}

static void
keep_norm (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  const double norm = norm_of (row, cols);

  for (gsize c = 0; norm > 0 && c < cols; c++)
    row[c] = (float) (row[c] * norm_of (secret, cols) / norm);
}

/* The difference of each two neighbouring columns is the secret's. */
static void
keep_differences (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  for (gsize c = 1; c < cols; c += 2)
    row[c] = row[c - 1] + secret[c] - secret[c - 1];
}

static void
keep_norm_beside (G_GNUC_UNUSED const Mistake *mistake, const float *secret, float *row, gsize cols)
{
  row[cols - 1] = (float) norm_of (secret, cols);
}

/* What was added to the first secret is added to all. */
static guint
share_noise (G_GNUC_UNUSED const Mistake *mistake, AssayReleaseItems *items,
             G_GNUC_UNUSED AssayStreamKey key)
{
  const float *first = assay_release_items_secret (items, 0);
  g_autofree float *noise = g_new0 (float, items->cols);

  for (gsize c = 0; first != NULL && c < items->cols; c++)
    noise[c] = items->rows[c] - first[c];
  for (gsize i = 0; i < items->n; i++) {
    const float *secret = assay_release_items_secret (items, i);

    for (gsize c = 0; secret != NULL && c < items->cols; c++)
      items->rows[i * items->cols + c] = secret[c] + noise[c];
  }
  return (guint) items->n;
}

/* ---- The table ---- */

#define MORE_SECRETS                                                                               \
  "a claim of the worst secrets, or of at-most less than the share that is copied, on more secrets"
#define LEARNER "an attack that learns from pairs of secret and release (grant pairs or mechanism)"

static const Mistake mistakes[] = {
  { .kind = { "copied-1-in-1000", "one secret in 1000 is released as it is", MORE_SECRETS },
    .rate = 1e-3,
    .share = 1,
    .alter = reveal_some },
  { .kind = { "copied-1-in-100", "one secret in 100 is released as it is", MORE_SECRETS },
    .rate = 1e-2,
    .share = 1,
    .alter = reveal_some },
  { .kind = { "copied-1-in-10", "one secret in 10 is released as it is", MORE_SECRETS },
    .rate = 0.1,
    .share = 1,
    .alter = reveal_some },
  { .kind = { "half-noise", "every item is half as far from its secret",
              "attack verbatim, a bound nearer to what the attacks find now, or more secrets" },
    .rate = 1,
    .share = 0.5,
    .alter = reveal_some },
  { .kind = { "tenth-of-noise", "every item is a tenth as far from its secret", "attack verbatim" },
    .rate = 1,
    .share = 0.9,
    .alter = reveal_some },
  { .kind = { "some-unprotected", "secrets with a first number above the median are released",
              "attack verbatim, and secrets that differ" },
    .alter = reveal_half },
  { .kind = { "outliers-unprotected", "the longest secrets, one in 20, are released as they are",
              "attack verbatim with a claim of at-most below 0.05, on more secrets" },
    .alter = reveal_outliers },
  { .kind = { "column-kept", "one column in ten is released as it is",
              "attack verbatim with a metric of single columns, or " LEARNER },
    .step = 10,
    .change = keep_column },
  { .kind = { "half-of-columns-kept", "every second column is released as it is",
              "attack verbatim with a metric of single columns, or " LEARNER },
    .step = 2,
    .change = keep_column },
  { .kind
    = { "differences-kept", "the difference of two neighbouring columns is the secret's", LEARNER },
    .change = keep_differences },
  { .kind = { "low-digits", "digits below a thousandth of the numbers' size are the secret's",
              "an attack that reads digits: nothing that compares distances does" },
    .change = keep_digits },
  { .kind = { "sign-kept", "each number has the sign of the secret's",
              "a metric of signs or of identification, or " LEARNER },
    .change = keep_sign },
  { .kind = { "order-kept", "the numbers of a row stand in the order of the secret's",
              "identification among candidates by rank correlation, or " LEARNER },
    .change = keep_order },
  { .kind = { "mean-kept", "the numbers of a row have the secret's mean",
              "identification among candidates (metric identification-rate), or " LEARNER },
    .change = keep_mean },
  { .kind = { "norm-kept", "a row is as long as the secret",
              "identification among candidates (metric identification-rate), or " LEARNER },
    .change = keep_norm },
  { .kind = { "norm-beside", "the last column has the secret's length: a column of timing or size",
              LEARNER },
    .change = keep_norm_beside },
  { .kind = { "duplicates-shown", "equal secrets have equal releases",
              "a metric of linkage between releases, on data with duplicates" },
    .alter = repeat_equal },
  { .kind = { "noise-of-first", "what was added to the first secret is added to all",
              "an attack that takes the mean of all items away, or knows one secret" },
    .needs_rows = TRUE,
    .alter = share_noise },
  { .kind = { "seed-of-16-bits", "the defense draws from one of 65536 seeds",
              "an attack that knows the mechanism and tries its seeds (grant mechanism)" },
    .has_seed = TRUE,
    .seed_bits = SEED_BITS },
  { .kind = { "constant-seed", "the defense draws the same numbers in every trial and release",
              "an attack that knows the mechanism and its seed (grant mechanism)" },
    .has_seed = TRUE },
};

const AssayMutantKind *
assay_release_mutant_kind (guint index)
{
  return index < G_N_ELEMENTS (mistakes) ? &mistakes[index].kind : NULL;
}

/* ---- The wrapper ---- */

static AssayStreamKey
key_of (const Mistake *mistake, AssayStreamKey key)
{
  const guint32 mask = (guint32) ((1u << mistake->seed_bits) - 1);

  return mistake->has_seed ? (AssayStreamKey){ { key.word[0] & mask, 0 } } : key;
}

static gboolean
needs_rows (const Mistake *mistake)
{
  return mistake->needs_rows || mistake->change != NULL;
}

static guint
alter (const Mistake *mistake, AssayReleaseItems *items, AssayStreamKey key)
{
  if (needs_rows (mistake) && items->rows == NULL)
    return 0;
  return mistake->change != NULL ? change_rows (mistake, items)
                                 : mistake->alter (mistake, items, key);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  AssayMutant *mutant = assay_mutant_of (context->settings);
  const Mistake *mistake = mutant->own;
  AssayDefenseContext inner = *context;
  AssayReleaseItems items;
  guint n = (guint) secrets.rows;

  inner.stream = key_of (mistake, context->stream);
  inner.common_stream = key_of (mistake, context->common_stream);
  if (!mutant->base->protect (&inner, secrets, ret_release, ret_truth, error))
    return FALSE;
  if (!mistake->has_seed) {
    if (!assay_release_check (ret_release, error))
      return FALSE;
    if (!assay_release_items_take (&items, ret_release, ret_truth))
      return TRUE;
    n = alter (mistake, &items,
               assay_stream_key (context->stream.word[0], context->stream.word[1], "mutant",
                                 mistake->kind.id));
    assay_release_items_give (&items, ret_release);
  }
  g_atomic_int_add (&mutant->n_changed, (gint) n);
  return TRUE;
}

AssayMutant *
assay_release_mutant_new (guint index, const AssayDefense *base, const AssaySettings *settings,
                          const char **ret_why_not)
{
  const Mistake *mistake = &mistakes[index];
  const AssayReleaseKind kind = assay_defense_produces (base, settings->values);
  const guint rows = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_MIXTURES;
  const guint items = rows | ASSAY_RELEASE_CODES | ASSAY_RELEASE_VECTOR_SETS;
  AssayMutant *mutant;

  *ret_why_not = NULL;
  if (!mistake->has_seed && !(kind & (needs_rows (mistake) ? rows : items)))
    *ret_why_not = needs_rows (mistake) ? "an item of the release is no row of numbers"
                                        : "the release has no item for each secret";
  if (*ret_why_not != NULL)
    return NULL;
  mutant = assay_mutant_new (base, settings);
  mutant->own = (gpointer) mistake;
  mutant->defense.protect = protect;
  return mutant;
}
