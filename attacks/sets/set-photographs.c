/* Words of one photograph are not independent: bricks recur, and where there are leaves there is
 * bark. The sets of a photograph (LDP-FEAT, Pittaluga and Zhuang 2023, section 5: one set Z_i of m
 * entries for each keypoint, made on its own) are read together here. The attack is ours.
 *
 * Model. The words z_i of a photograph are drawn from a distribution of its own, Dirichlet around a
 * mixture of what is public:
 *   theta ~ Dirichlet (OWN b),   b = sum over g of pi_g t_g
 * t_0 (z) = (c (z) + 1) / (P + K), c counting the P public rows whose word is z; of public
 * photograph g with n_g rows t_g = (c_g + SMOOTH t_0) / (n_g + SMOOTH). Without public photographs
 * b = t_0. The omega-subset mechanism makes a set e = exp (epsilon) times as likely for each word
 * within it as for one without:
 *   r_i (z) = e s_i (z) / (e S_i + 1 - S_i) for z in Z_i, with S_i = sum of s_i over Z_i
 *   s_i (z) = (sum over j != i of r_j (z) + OWN b (z)) / (q - 1 + OWN)
 * (collapsed variational Bayes of order 0, Asuncion et al. 2009; a set never votes for itself), and
 * pi_g goes up with the share of g in what explains the r, as in EM. ROUNDS rounds from equal
 * shares. The result is s_i (z) / t_0 (z), a factor on any prior of z.
 * Without epsilon among the release's public parameters sets are taken to hold their word.
 *
 * The constants were chosen on the ten photographs of shared SIFT queries beside 30,342 public rows
 * of 236 others, on sets drawn for entries of a dictionary of 4,096; there the gain is small (see
 * docs/papers/ldp-feat.md). Cost: O(ROUNDS q m G) for a photograph of q
 * keypoints and G public ones. */
#include "attacks/sets/set-photographs.h"

#include <math.h>
#include <string.h>

#include "core/data/kinds/vector-sets.h"
#include "core/games/control-case.h"

#define SMOOTH 200 /* rows that all public photographs together lend to each */
#define OWN 3000   /* keypoints that the public mixture is worth against the photograph's own */
#define ROUNDS 30
#define LEAST_SHARE 1e-3 /* added to what each public photograph explains, in keypoints */

typedef struct {
  const VectorSets *sets;
  gsize n_topics;  /* public photographs, and all public rows as number 0 */
  double *sizes;   /* of each: its rows */
  guint32 *counts; /* n_topics x K; of topic 0 those of all rows */
  double odds;     /* exp (epsilon); infinite: sets hold their word */
} Words;

ASSAY_LOCAL_CLEAR (Words, words_clear, g_free (self->sizes), g_free (self->counts))

static double
background (const Words *words, gsize entry)
{
  return ((double) words->counts[entry] + 1)
         / (words->sizes[0] + (double) words->sets->entries.rows);
}

static double
topic (const Words *words, gsize number, gsize entry)
{
  const double all = background (words, entry);

  if (number == 0)
    return all;
  return ((double) words->counts[number * words->sets->entries.rows + entry] + SMOOTH * all)
         / (words->sizes[number] + SMOOTH);
}

/* ---- One photograph ---- */

typedef struct {
  const Words *words;
  const gsize *secrets; /* q: its keypoints */
  gsize q, w;
  double *topics;  /* q w x n_topics: what each says of each member */
  double *share;   /* n_topics: pi */
  double *next;    /* n_topics */
  double *likely;  /* q w: r */
  double *ranked;  /* q w: s */
  double *counted; /* K: sum of r over the photograph */
} Photograph;

ASSAY_LOCAL_CLEAR (Photograph, photograph_clear, g_free (self->topics), g_free (self->share),
                   g_free (self->next), g_free (self->likely), g_free (self->ranked),
                   g_free (self->counted))

static gsize
entry_at (const Photograph *photograph, gsize place)
{
  const gsize w = photograph->w;

  return (gsize) photograph->words->sets->members[photograph->secrets[place / w] * w + place % w];
}

static gboolean
photograph_init (Photograph *photograph, GError **error)
{
  const Words *words = photograph->words;
  const gsize places = photograph->q * photograph->w, n = words->n_topics;

  photograph->topics = assay_alloc (places * n, sizeof (double), "words", error);
  if (photograph->topics == NULL)
    return FALSE;
  photograph->counted = assay_alloc (words->sets->entries.rows, sizeof (double), "words", error);
  if (photograph->counted == NULL)
    return FALSE;
  photograph->share = g_new (double, n);
  photograph->next = g_new (double, n);
  photograph->likely = g_new0 (double, places);
  photograph->ranked = g_new0 (double, places);
  for (gsize t = 0; t < n; t++)
    photograph->share[t] = 1 / (double) n;
  for (gsize i = 0; i < places; i++)
    for (gsize t = 0; t < n; t++)
      photograph->topics[i * n + t] = topic (words, t, entry_at (photograph, i));
  return TRUE;
}

/* The mixture's probability of the word at @place. */
static double
mixed (const Photograph *photograph, gsize place)
{
  const gsize n = photograph->words->n_topics;
  double sum = 0;

  for (gsize t = 0; t < n; t++)
    sum += photograph->share[t] * photograph->topics[place * n + t];
  return sum;
}

/* s of the set number @set out of the other sets, and then r. */
static void
weigh_set (Photograph *photograph, gsize set)
{
  const gsize w = photograph->w, first = set * w;
  const double odds = photograph->words->odds;
  double total = 0;

  for (gsize i = first; i < first + w; i++) {
    const double others = photograph->counted[entry_at (photograph, i)] - photograph->likely[i];

    photograph->ranked[i]
        = (MAX (others, 0) + OWN * mixed (photograph, i)) / ((double) photograph->q - 1 + OWN);
    total += photograph->ranked[i];
  }
  for (gsize i = first; i < first + w; i++)
    photograph->likely[i] = isinf (odds)
                                ? photograph->ranked[i] / total
                                : odds * photograph->ranked[i] / (odds * total + 1 - total);
}

static void
play_round (Photograph *photograph)
{
  const gsize places = photograph->q * photograph->w, n = photograph->words->n_topics;
  double total = 0;

  for (gsize i = 0; i < photograph->q; i++)
    weigh_set (photograph, i);
  for (gsize i = 0; i < places; i++)
    photograph->counted[entry_at (photograph, i)] = 0;
  for (gsize t = 0; t < n; t++)
    photograph->next[t] = LEAST_SHARE;
  for (gsize i = 0; i < places; i++) {
    const double explained = photograph->likely[i] / mixed (photograph, i);

    photograph->counted[entry_at (photograph, i)] += photograph->likely[i];
    for (gsize t = 0; t < n; t++)
      photograph->next[t] += explained * photograph->share[t] * photograph->topics[i * n + t];
  }
  for (gsize t = 0; t < n; t++)
    total += photograph->next[t];
  for (gsize t = 0; t < n; t++)
    photograph->share[t] = photograph->next[t] / total;
}

static gboolean
read_photograph (const Words *words, const gsize *secrets, gsize q, double *lifts, GError **error)
{
  g_auto (Photograph) photograph
      = { .words = words, .secrets = secrets, .q = q, .w = words->sets->w };
  const gsize w = words->sets->w;

  if (!photograph_init (&photograph, error))
    return FALSE;
  for (guint round = 0; round < ROUNDS; round++)
    play_round (&photograph);
  for (gsize i = 0; i < q * w; i++)
    lifts[secrets[i / w] * w + i % w]
        = photograph.ranked[i] / background (words, entry_at (&photograph, i));
  return TRUE;
}

/* ---- All of them ---- */

/* Numbers @values from 0 on, in the order in which they first stand: how many there are. */
static gsize
number_groups (const gint64 *values, gsize count, gsize *ret_numbers)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gsize i = 0; i < count; i++) {
    gpointer number;

    if (!g_hash_table_lookup_extended (known, values + i, NULL, &number)) {
      number = GSIZE_TO_POINTER (g_hash_table_size (known));
      g_hash_table_insert (known, (gpointer) (values + i), number);
    }
    ret_numbers[i] = GPOINTER_TO_SIZE (number);
  }
  return g_hash_table_size (known);
}

static gboolean
count_words (Words *words, const AssayObservation *seen, GError **error)
{
  const gsize k = words->sets->entries.rows;
  const gsize n = seen->public_rows != NULL ? assay_rows_count (seen->public_rows) : 0;
  g_autoptr (AssayArray) found = NULL;
  g_autofree gsize *groups = NULL;

  words->n_topics = 1;
  if (n > 0 && seen->public_groups != NULL) {
    groups = assay_alloc (n, sizeof (gsize), "groups", error);
    if (groups == NULL)
      return FALSE;
    words->n_topics += number_groups (seen->public_groups, n, groups);
  }
  words->sizes = g_new0 (double, words->n_topics);
  words->counts = assay_alloc (words->n_topics * k, sizeof (guint32), "counts of words", error);
  found = words->counts != NULL && n > 0 ? vector_sets_words (words->sets, seen->public_rows, error)
                                         : NULL;
  if (words->counts == NULL || (n > 0 && found == NULL))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const gint64 word = assay_array_int64 (found)[i];

    if (word < 0)
      continue;
    words->counts[word]++;
    words->sizes[0]++;
    if (groups != NULL) {
      words->counts[(groups[i] + 1) * k + (gsize) word]++;
      words->sizes[groups[i] + 1]++;
    }
  }
  return TRUE;
}

double *
set_photographs_lifts (const VectorSets *sets, const AssayObservation *seen, GError **error)
{
  const double *epsilon = ASSAY_PARAMETER (seen->release, AssayVectorSetsParameters, epsilon);
  g_auto (Words) words = { .sets = sets, .odds = epsilon != NULL ? exp (*epsilon) : INFINITY };
  g_autofree gsize *groups = assay_alloc (sets->n, sizeof (gsize), "groups", error);
  g_autofree gsize *order = g_new (gsize, sets->n);
  g_autofree gsize *starts = NULL;
  g_autofree double *lifts = NULL;
  gsize n_groups;

  if (groups == NULL || !count_words (&words, seen, error))
    return NULL;
  lifts = assay_alloc (sets->n * sets->w, sizeof (double), "lifts", error);
  if (lifts == NULL)
    return NULL;
  n_groups = number_groups (seen->groups, sets->n, groups);
  starts = g_new0 (gsize, n_groups + 2);
  for (gsize i = 0; i < sets->n; i++)
    starts[groups[i] + 2]++;
  for (gsize g = 0; g < n_groups; g++)
    starts[g + 2] += starts[g + 1];
  for (gsize i = 0; i < sets->n; i++)
    order[starts[groups[i] + 1]++] = i;
  for (gsize g = 0; g < n_groups; g++)
    if (!read_photograph (&words, order + starts[g], starts[g + 1] - starts[g], lifts, error))
      return NULL;
  return g_steal_pointer (&lifts);
}

/* ---- The control ---- */

enum { SECRETS = 32, COLS = 32, MEMBERS = 8, KINDS = 32, OF_KIND = 8, COPIES = 8 };

/* The set of a secret whose word is @own: the others differ, and are of other kinds. */
static void
draw_set (gint64 own, AssayStream *stream, gint64 *ret_set)
{
  const gsize place = assay_stream_below (stream, MEMBERS);

  for (gsize j = 0; j < MEMBERS; j++) {
    gboolean is_new = j == place;

    ret_set[j] = own;
    while (!is_new) {
      ret_set[j] = (gint64) assay_stream_below (stream, KINDS * OF_KIND);
      is_new = ret_set[j] / OF_KIND != own / OF_KIND;
      for (gsize i = 0; i < j; i++)
        is_new &= ret_set[i] != ret_set[j];
    }
  }
}

/* Each public photograph has the words of one kind, COPIES times each, all as far off. */
static AssayMatrix *
make_public (AssayMatrix *dictionary, gint64 *ret_groups, GError **error)
{
  AssayMatrix *rows = assay_matrix_new (KINDS * OF_KIND * COPIES, COLS, error);

  for (gsize i = 0; rows != NULL && i < rows->rows; i++) {
    memcpy (assay_matrix_row (rows, i), assay_matrix_row (dictionary, i / COPIES),
            COLS * sizeof (float));
    assay_matrix_row (rows, i)[0] += 1;
    ret_groups[i] = (gint64) (i / (COPIES * OF_KIND));
  }
  return rows;
}

gboolean
set_photographs_control (AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  g_autoptr (AssayMatrix) dictionary
      = assay_control_normals (KINDS * OF_KIND, COLS, &stream, error);
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (SECRETS, COLS, error);
  AssayMatrix *public_rows;
  gint64 *sets;
  const gint64 kind = (gint64) assay_stream_below (&stream, KINDS);

  if (dictionary == NULL || secrets == NULL)
    return FALSE;
  for (gsize i = 0; i < dictionary->rows * COLS; i++)
    dictionary->data[i] *= 10;
  ret_case->public_groups = g_new (gint64, KINDS * OF_KIND * COPIES);
  public_rows = make_public (dictionary, ret_case->public_groups, error);
  if (public_rows == NULL)
    return FALSE;
  ret_case->public_rows = assay_rows_take_matrix (public_rows);
  sets = g_new (gint64, SECRETS * MEMBERS);
  ret_case->groups = g_new0 (gint64, SECRETS);
  for (gsize i = 0; i < SECRETS; i++) {
    const gint64 own = kind * OF_KIND + (gint64) assay_stream_below (&stream, OF_KIND);

    memcpy (assay_matrix_row (secrets, i), assay_matrix_row (dictionary, (gsize) own),
            COLS * sizeof (float));
    draw_set (own, &stream, sets + i * MEMBERS);
  }
  ret_case->release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "control");
  ret_case->truth = assay_truth_new ();
  assay_arrays_take_rows (&ret_case->release->arrays, "sets", ASSAY_INT64, SECRETS, MEMBERS, sets);
  assay_arrays_take_matrix (&ret_case->release->arrays, "dictionary", &dictionary);
  assay_arrays_take_matrix (&ret_case->truth->arrays, "secrets", &secrets);
  return TRUE;
}
