/* LDP-FEAT: a descriptor becomes a random set of dictionary entries (Pittaluga and Zhuang 2023,
 * "LDP-FEAT: Image Features with Local Differential Privacy", section 5).
 *
 * The dictionary (K x d) is made of the database's rows by k-means, spherical where descriptors are
 * of unit length (core/search/dictionary.h); everyone knows it, so it is released. A secret
 * descriptor d goes to the entry d' nearest to it in L2 (the first of equals), and d' through the
 * omega-subset mechanism:
 *   u ~ Bernoulli (p),  p = Pr (u = 1) = m exp (epsilon) / (m exp (epsilon) + K - m) (equation 5)
 *   Z = {d'} if u = 1, and entries other than d' drawn uniformly until |Z| = m
 * in random order. Each descriptor is epsilon-locally private, between any two descriptors; an
 * image of q descriptors, by composition, q epsilon.
 *
 * What an attack can gain is bounded twice: the entry is in the set with probability p alone, and
 * it is the entry and not d, whose distance from it, the dictionary's quantisation error, remains.
 * Utility follows p: with m = 2 it is
 *   K = 256,000 (the paper)  0.147, 0.560, 0.986 at epsilon 10, 12, 16
 *   K =  16,384              the same at 7.2525, 9.2520, 13.2654
 *   K =     256 (defaults)   0.539 at epsilon 5
 * and epsilon = ln (p / (1 - p) (K - m) / m) gives any other.
 *
 * The dictionary depends on dictionary_seed, not on the scenario's seed: all users of all trials
 * share one, as in the paper, and cells that differ in epsilon or members do so too, which makes it
 * once. No mechanism is stated for the game distinguish, as one could not see the dictionary: the
 * nearest entry is a function of the descriptor, and what is random of a release is omega-subset's
 * for the same epsilon, dictionary = K and members. Audit that. */

#include "core/base/parallel.h"
#include "core/data/kinds/vector-sets.h"
#include "core/plugin/plugin.h"
#include "core/search/dictionary.h"
#include "core/search/knn.h"
#include "defenses/mechanisms/subset-sampler.h"

typedef struct {
  double epsilon;
  gint64 dictionary; /* K */
  gint64 members;    /* m */
  gint64 iterations;
  gint64 dictionary_seed;
  bool normalize;
} LdpFeat;

/* The secrets as they are protected: scaled as the database's rows are. */
static AssayMatrix *
scaled (AssayView secrets, AssayScale scale, GError **error)
{
  AssayMatrix *copy = assay_matrix_copy (secrets, error);
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayMatrix) protected = NULL;

  if (copy == NULL)
    return NULL;
  rows = assay_rows_take_matrix (copy);
  protected = assay_rows_matrix (rows, scale, error);
  if (protected == NULL)
    return NULL;
  for (gsize i = 0; scale == ASSAY_SCALE_UNIT && i < secrets.rows; i++) {
    gboolean is_zero = TRUE;

    for (gsize j = 0; j < secrets.cols; j++)
      is_zero &= assay_matrix_row (protected, i)[j] == 0;
    if (is_zero)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "secret %zu is all zeros and cannot be normalised", i);
  }
  return g_steal_pointer (&protected);
}

typedef struct {
  SubsetSampler sampler;
  AssayStreamKey stream;
  const AssayNearest *entries; /* one a secret */
  gint64 *sets;                /* n x m */
} Sampling;

static void
draw_set (gsize secret, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Sampling *sampling = data;
  const gsize m = sampling->sampler.members;
  AssayStream stream = assay_stream (sampling->stream, secret);
  g_autofree float *set = g_new (float, m);

  subset_sample (&sampling->sampler, &stream, (float) sampling->entries->rows[secret], 1, set);
  for (gsize j = 0; j < m; j++)
    sampling->sets[secret * m + j] = (gint64) set[j];
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const LdpFeat *settings = context->settings;
  const gsize m = (gsize) settings->members;
  const AssayDictionarySpec spec
      = { .entries = (gsize) settings->dictionary,
          .iterations = (guint) settings->iterations,
          .scale = settings->normalize ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE,
          .stream = assay_stream_key ((guint64) settings->dictionary_seed, 0, "dictionary", "") };
  Sampling sampling
      = { .sampler = { settings->epsilon, spec.entries, m }, .stream = context->stream };
  g_autoptr (AssayMatrix) protected = scaled (secrets, spec.scale, error);
  g_autoptr (AssayArray) dictionary = NULL;
  g_autoptr (AssayNearest) entries = NULL;

  if (protected == NULL)
    return FALSE;
  dictionary = assay_dictionary (context->database, &spec, error);
  if (dictionary == NULL)
    return FALSE;
  entries
      = assay_knn_search (assay_array_view (dictionary), assay_matrix_view (protected), 1, error);
  if (entries == NULL)
    return FALSE;
  sampling.entries = entries;
  sampling.sets = assay_alloc (secrets.rows, m * sizeof (gint64), "sets", error);
  if (sampling.sets == NULL)
    return FALSE;
  assay_parallel_for (secrets.rows, draw_set, &sampling);

  ret_release->is_unit_norm = settings->normalize;
  ASSAY_SET_PARAMETER (ret_release, AssayVectorSetsParameters, epsilon, settings->epsilon);
  assay_arrays_take_rows (&ret_release->arrays, "sets", ASSAY_INT64, secrets.rows, m,
                          sampling.sets);
  assay_arrays_take (&ret_release->arrays, "dictionary", g_steal_pointer (&dictionary));
  assay_arrays_take_matrix (&ret_truth->arrays, "secrets", &protected);
  return TRUE;
}

static guint
uses (G_GNUC_UNUSED gconstpointer data)
{
  return ASSAY_GRANT_DATABASE;
}

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  const LdpFeat *settings = data;

  if (settings->members >= settings->dictionary)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "members = %" G_GINT64_FORMAT
                       ": expected less than dictionary = %" G_GINT64_FORMAT,
                       settings->members, settings->dictionary);
  if (shape->n_database > 0 && (guint64) settings->dictionary > shape->n_database)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "dictionary = %" G_GINT64_FORMAT ": expected no more entries than the "
                       "database has rows, %zu",
                       settings->dictionary, shape->n_database);
  return TRUE;
}

ASSAY_MEMORY (memory, LdpFeat,
              assay_dictionary_memory (shape->n_database, shape->cols,
                                       (gsize) settings->dictionary))

static void
release_shape (gconstpointer data, AssayShape *inout_shape)
{
  inout_shape->n_members = (gsize) ((const LdpFeat *) data)->members;
}

ASSAY_DEFENSE (ldp_feat, "ldp-feat",
  .summary = "Release a random set of dictionary entries that may hold the one nearest to a secret",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT: Image Features with Local Differential "
                 "Privacy",
                 "section 5" },
  ASSAY_SETTINGS (LdpFeat,
    ASSAY_PARAM_REAL (LdpFeat, epsilon, 5, 0, 60, "nats",
                      "Privacy budget of one descriptor; an image of q descriptors spends q times "
                      "as much"),
    ASSAY_PARAM_INT (LdpFeat, dictionary, 256, 2, 16777216, "",
                     "Entries K of the dictionary; at most as many as the database has rows"),
    ASSAY_PARAM_INT (LdpFeat, members, 2, 1, 4096, "",
                     "How many entries m a released set has; fewer than the dictionary"),
    ASSAY_PARAM_INT (LdpFeat, iterations, 10, 0, 1000, "",
                     "The most iterations of k-means; 0: entries are database rows drawn at "
                     "random"),
    ASSAY_PARAM_INT (LdpFeat, dictionary_seed, 1, 0, 4294967295, "",
                     "Seed of k-means; not the scenario's seed, so that trials share the "
                     "dictionary"),
    ASSAY_PARAM_BOOL (LdpFeat, normalize, TRUE,
                      "Whether secrets, database rows and entries are scaled to unit length")),
  .check = check,
  .holds = { .items = 2 },
  .memory = memory,
  .produces = ASSAY_RELEASE_VECTOR_SETS,
  .release_shape = release_shape,
  .claim = "epsilon-local differential privacy of each descriptor, between any two; q epsilon for "
           "an image that releases q descriptors, by composition. It is for the secrets alone: the "
           "dictionary shows the database, which is public",
  .uses = uses,
  .protect = protect);
