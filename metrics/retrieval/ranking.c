/* Hamming rankings: counting items by distance, and expectations over random order within ties.
 *
 * A tie of t items, r of them relevant, follows N items of which R are relevant. Any of its places
 * is held by a relevant item with probability r / t, and of the j - 1 places before place j of the
 * tie (j - 1)(r - 1)/(t - 1) are then expected to be relevant too. So the precisions at the
 * relevant places of the tie sum to
 *   E(N, R, t, r) = (r / t) sum_{j=1..t} (R + 1 + a (j - 1)) / (N + j),      a = (r - 1)/(t - 1)
 *                 = r (a + (R + 1 - a (N + 1)) (H(N + t) - H(N)) / t),       a = 0 if t = 1
 * with H(n) = 1 + 1/2 + ... + 1/n. The average precision is the sum of E over all distances,
 * divided by all relevant items (McSherry and Najork 2008, "Computing information retrieval
 * performance measures efficiently in the presence of tied scores").
 *
 * Cut off after k items, the tie that k divides gives s = k - N places, of which m are relevant
 * with the hypergeometric probability p(m) = C(r, m) C(t - r, s - m) / C(t, s); given m, all orders
 * are equally likely. With S for the sum of E over the ties before it,
 *   AP@k = sum_m p(m) (S + E(N, R, s, m)) / (R + m),   0 where R + m = 0.
 *
 * Counting: a panel of items is compared with a block of queries while it is in cache, with the
 * codes turned (core/data/codes.h). The items are four runs that are counted side by side in tables
 * of their own, as additions to one counter wait for each other. For the order of the database, a
 * second pass goes over the same runs and counts on from where the nearer items and the runs before
 * end. Numbers are whole until they are divided, and the quotients of a run are summed in its
 * order, so that threads change nothing. */
#include "metrics/retrieval/ranking.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectorise.h"

#define RUNS 4
#define PANEL (gsize) 512 /* items of each run */
#define QUERIES (gsize) 16

/* ---- Expectations ---- */

guint64
ranking_items (const Ranking *ranking)
{
  guint64 sum = 0;

  for (gsize d = 0; d <= ranking->bits; d++)
    sum += ranking->items[d];
  return sum;
}

guint64
ranking_relevant (const Ranking *ranking)
{
  guint64 sum = 0;

  for (gsize d = 0; d <= ranking->bits; d++)
    sum += ranking->relevant[d];
  return sum;
}

/* H(n + t) - H(n). H(n) is ln (n + 1/2) + Euler's constant + 1/(24 x^2) - 7/(960 x^4)
 * + 31/(8064 x^6) - ... with x = n + 1/2: from n = 32 on, the rest is under 4e-15. */
static double
harmonic_between (guint64 n, guint64 t)
{
  const guint64 end = n + t;
  double sum = 0, x, y, u, v;

  for (; n < 32 && n < end; n++)
    sum += 1 / (double) (n + 1);
  if (n == end)
    return sum;
  x = (double) n + 0.5;
  y = (double) end + 0.5;
  u = 1 / (x * x);
  v = 1 / (y * y);
  return sum + log1p ((double) (end - n) / x) + v * (1 / 24. - v * (7 / 960. - v * (31 / 8064.)))
         - u * (1 / 24. - u * (7 / 960. - u * (31 / 8064.)));
}

/* What comes before a tie, and the expected sum of precisions in it. */
typedef struct {
  guint64 items;    /* N */
  guint64 relevant; /* R */
  double sum;       /* S */
} Head;

/* E (N, R, t, r); @harmonic is H(N + t) - H(N). */
static double
expected_precisions (const Head *head, guint64 t, guint64 r, double harmonic)
{
  const double a = t > 1 && r > 0 ? (double) (r - 1) / (double) (t - 1) : 0;

  return (double) r
         * (a
            + ((double) head->relevant + 1 - a * ((double) head->items + 1)) * harmonic
                  / (double) t);
}

/* Ties from the front on, as long as they end within the first @k items. Returns the first distance
 * that does not. */
static gsize
read_head (const Ranking *ranking, guint64 k, Head *ret_head)
{
  Head head = { 0 };
  gsize d = 0;

  for (; d <= ranking->bits && head.items + ranking->items[d] <= k; d++) {
    const guint32 t = ranking->items[d], r = ranking->relevant[d];

    if (r > 0)
      head.sum += expected_precisions (&head, t, r, harmonic_between (head.items, t));
    head.items += t;
    head.relevant += r;
  }
  *ret_head = head;
  return d;
}

double
ranking_average_precision (const Ranking *ranking)
{
  Head head;

  read_head (ranking, G_MAXUINT64, &head);
  return head.sum / (double) head.relevant;
}

double
ranking_found (const Ranking *ranking, guint64 k)
{
  Head head;
  const gsize d = read_head (ranking, k, &head);

  if (d > ranking->bits)
    return (double) head.relevant;
  return (double) head.relevant
         + (double) (k - head.items) * ranking->relevant[d] / ranking->items[d];
}

/* A cut through a tie. */
typedef struct {
  const Head *head;
  guint64 places; /* s */
  double harmonic;
} Cut;

static double
precision_of_cut (const Cut *cut, guint64 m)
{
  const guint64 found = cut->head->relevant + m;

  if (found == 0)
    return 0;
  return (cut->head->sum + expected_precisions (cut->head, cut->places, m, cut->harmonic))
         / (double) found;
}

/* Probabilities are relative to that of the mode, from which they fall on both sides; what is below
 * the last place of a double is left out. */
#define MIN_WEIGHT 1e-20

double
ranking_average_precision_at (const Ranking *ranking, guint64 k)
{
  Head head;
  const gsize d = read_head (ranking, k, &head);
  guint64 t, r, s, least, most, mode;
  double weight = 1, sum = 0, total = 0;
  Cut cut;

  if (d > ranking->bits || head.items == k)
    return head.relevant > 0 ? head.sum / (double) head.relevant : 0;
  t = ranking->items[d];
  r = ranking->relevant[d];
  s = k - head.items;
  cut = (Cut){ &head, s, harmonic_between (head.items, s) };
  least = s + r > t ? s + r - t : 0;
  most = MIN (s, r);
  mode = CLAMP ((s + 1) * (r + 1) / (t + 2), least, most);
  for (guint64 m = mode;; m++) {
    sum += weight * precision_of_cut (&cut, m);
    total += weight;
    weight
        *= (double) (r - m) * (double) (s - m) / ((double) (m + 1) * (double) (t + m + 1 - r - s));
    if (m == most || weight < MIN_WEIGHT)
      break;
  }
  weight = 1;
  for (guint64 m = mode; m > least; m--) {
    weight *= (double) m * (double) (t + m - r - s) / ((double) (r - m + 1) * (double) (s - m + 1));
    if (weight < MIN_WEIGHT)
      break;
    sum += weight * precision_of_cut (&cut, m - 1);
    total += weight;
  }
  return sum / total;
}

/* ---- Counting ---- */

/* Of one thread, for a block of queries: tables with bits + 1 distances d. */
typedef struct {
  guint32 *counts;   /* QUERIES x RUNS x d x 2: items that are not relevant, and that are */
  guint64 *places;   /* QUERIES x RUNS x d: items before, and relevant ones in the upper half */
  guint32 *items;    /* d */
  guint32 *relevant; /* d */
} Tables;

typedef struct {
  const RankingTask *task;
  const guint64 *turned; /* of the items */
  RankingJudge judge;
  gpointer data;
  gsize run; /* items of a run; the last may have fewer */
  Tables *tables;
} Job;

/* One panel of each run, for one query: 2 x distance + (is relevant). */
typedef struct {
  gsize counts[RUNS];
  gsize least; /* of the counts */
  guint16 keys[RUNS][PANEL];
} Keys;

ASSAY_VECTORISED static void
mark_equal_labels (const guint64 *labels, guint64 label, gsize count, guint16 *inout_keys)
{
  for (gsize i = 0; i < count; i++)
    inout_keys[i] = (guint16) (2 * inout_keys[i] + (labels[i] == label));
}

ASSAY_VECTORISED static void
mark_common_labels (const guint64 *labels, guint64 label, gsize count, guint16 *inout_keys)
{
  for (gsize i = 0; i < count; i++)
    inout_keys[i] = (guint16) (2 * inout_keys[i] + ((labels[i] & label) != 0));
}

/* A further word of sets, of keys that the first has marked. */
ASSAY_VECTORISED static void
mark_more_labels (const guint64 *labels, guint64 label, gsize count, guint16 *inout_keys)
{
  for (gsize i = 0; i < count; i++)
    inout_keys[i] = (guint16) (inout_keys[i] | ((labels[i] & label) != 0));
}

/* Of items from @start on. */
static void
mark_common (const RankingTask *task, gsize query, gsize start, gsize count, guint16 *inout_keys)
{
  const guint64 *wanted = task->query_labels + query * task->set_words;

  mark_common_labels (task->item_labels + start, wanted[0], count, inout_keys);
  for (gsize w = 1; w < task->set_words; w++)
    if (wanted[w] != 0)
      mark_more_labels (task->item_labels + w * task->items->count + start, wanted[w], count,
                        inout_keys);
}

/* @first: of the panel, counted in each run. */
static void
make_keys (const Job *job, gsize query, gsize first, Keys *ret_keys)
{
  const guint64 *code = job->task->queries->data + query * job->task->queries->words;

  ret_keys->least = PANEL;
  for (gsize run = 0; run < RUNS; run++) {
    const gsize start = MIN (run * job->run + first, job->task->items->count);
    const gsize end = MIN ((run + 1) * job->run, job->task->items->count);
    const gsize count = start < end ? MIN (PANEL, end - start) : 0;
    guint16 *keys = ret_keys->keys[run];

    assay_codes_turned_distances (job->turned + start, job->task->items->count,
                                  job->task->items->words, code, count, keys);
    if (job->task->set_words > 0)
      mark_common (job->task, query, start, count, keys);
    else
      mark_equal_labels (job->task->item_labels + start, job->task->query_labels[query], count,
                         keys);
    ret_keys->counts[run] = count;
    ret_keys->least = MIN (ret_keys->least, count);
  }
}

static void
count_keys (const Keys *keys, gsize n_keys, guint32 *inout_counts)
{
  for (gsize i = 0; i < keys->least; i++)
    for (gsize run = 0; run < RUNS; run++)
      inout_counts[run * n_keys + keys->keys[run][i]]++;
  for (gsize run = 0; run < RUNS; run++)
    for (gsize i = keys->least; i < keys->counts[run]; i++)
      inout_counts[run * n_keys + keys->keys[run][i]]++;
}

/* Of one run: @places counts on, and what it is at relevant items is written down. */
static inline void
note_place (guint16 key, guint64 *inout_places, guint64 *ret_noted, gsize *inout_n)
{
  const guint64 is_relevant = key & 1;
  const guint64 place = inout_places[key / 2] + 1 + (is_relevant << 32);

  inout_places[key / 2] = place;
  ret_noted[*inout_n] = place;
  *inout_n += is_relevant;
}

/* Adds the precisions at the relevant items of a panel, to one sum a run. */
static void
add_precisions (const Keys *keys, gsize bits, guint64 *inout_places, double *inout_sums)
{
  guint64 noted[RUNS][PANEL + 1]; /* the last place is for items that are not kept */
  gsize n[RUNS] = { 0 };

  for (gsize i = 0; i < keys->least; i++)
    for (gsize run = 0; run < RUNS; run++)
      note_place (keys->keys[run][i], inout_places + run * (bits + 1), noted[run], &n[run]);
  for (gsize run = 0; run < RUNS; run++) {
    for (gsize i = keys->least; i < keys->counts[run]; i++)
      note_place (keys->keys[run][i], inout_places + run * (bits + 1), noted[run], &n[run]);
    for (gsize i = 0; i < n[run]; i++)
      inout_sums[run] += (double) (gint64) (noted[run][i] >> 32) / (double) (guint32) noted[run][i];
  }
}

/* Where each run begins within each distance: after all nearer items, and those of the runs before
 * it at that distance. */
static void
start_places (const guint32 *counts, gsize bits, guint64 *ret_places)
{
  const gsize n_keys = 2 * (bits + 1);
  guint64 before = 0;

  for (gsize d = 0; d <= bits; d++)
    for (gsize run = 0; run < RUNS; run++) {
      const guint32 *pair = counts + run * n_keys + 2 * d;

      ret_places[run * (bits + 1) + d] = before;
      before += pair[0] + pair[1] + ((guint64) pair[1] << 32);
    }
}

/* Precisions in database order, summed for each of a block of queries, whose @counts are known. */
static void
sum_precisions (const Job *job, gsize first_query, gsize n_queries, const Tables *tables,
                double *ret_sums)
{
  const gsize bits = job->task->items->bits, n_counts = 2 * RUNS * (bits + 1);
  const gsize n_places = RUNS * (bits + 1);
  double sums[QUERIES][RUNS] = { { 0 } };
  Keys keys;

  for (gsize q = 0; q < n_queries; q++)
    start_places (tables->counts + q * n_counts, bits, tables->places + q * n_places);
  for (gsize first = 0; first < job->run; first += PANEL)
    for (gsize q = 0; q < n_queries; q++) {
      make_keys (job, first_query + q, first, &keys);
      add_precisions (&keys, bits, tables->places + q * n_places, sums[q]);
    }
  for (gsize q = 0; q < n_queries; q++)
    ret_sums[q] = (sums[q][0] + sums[q][1]) + (sums[q][2] + sums[q][3]);
}

/* @precisions: their sum in database order. */
static void
finish_query (const Job *job, gsize query, const guint32 *counts, double precisions,
              const Tables *tables)
{
  const gsize bits = job->task->items->bits, n_keys = 2 * (bits + 1);
  Ranking ranking = { .bits = bits, .items = tables->items, .relevant = tables->relevant };

  for (gsize d = 0; d <= bits; d++) {
    guint32 others = 0, relevant = 0;

    for (gsize run = 0; run < RUNS; run++) {
      others += counts[run * n_keys + 2 * d];
      relevant += counts[run * n_keys + 2 * d + 1];
    }
    tables->items[d] = others + relevant;
    tables->relevant[d] = relevant;
  }
  if (job->task->has_stable)
    ranking.stable_precision = precisions / (double) ranking_relevant (&ranking);
  job->judge (query, &ranking, job->data);
}

static void
rank_block (gsize block, guint worker, gpointer data)
{
  const Job *job = data;
  const Tables *tables = &job->tables[worker];
  const gsize first_query = block * QUERIES;
  const gsize n_queries = MIN (QUERIES, job->task->queries->count - first_query);
  const gsize n_keys = 2 * (job->task->items->bits + 1), n_counts = RUNS * n_keys;
  double precisions[QUERIES] = { 0 };
  Keys keys;

  memset (tables->counts, 0, n_queries * n_counts * sizeof (guint32));
  for (gsize first = 0; first < job->run; first += PANEL)
    for (gsize q = 0; q < n_queries; q++) {
      make_keys (job, first_query + q, first, &keys);
      count_keys (&keys, n_keys, tables->counts + q * n_counts);
    }
  if (job->task->has_stable)
    sum_precisions (job, first_query, n_queries, tables, precisions);
  for (gsize q = 0; q < n_queries; q++)
    finish_query (job, first_query + q, tables->counts + q * n_counts, precisions[q], tables);
}

/* Of a thread's tables, in words of 32 bits. */
static gsize
table_words (gsize bits)
{
  return (bits + 1) * (QUERIES * RUNS * 4 + 2);
}

gboolean
ranking_for_each (const RankingTask *task, RankingJudge judge, gpointer data, GError **error)
{
  const AssayCodes *items = task->items, *queries = task->queries;
  const guint threads = assay_parallel_threads ();
  const gsize bits = items->bits, words = table_words (bits);
  g_autofree guint64 *memory
      = assay_alloc (threads, words * sizeof (guint32), "rankings of queries", error);
  g_autofree Tables *tables = g_new (Tables, threads);
  g_autofree guint64 *turned = NULL;
  Job job = { .task = task,
              .judge = judge,
              .data = data,
              .run = (items->count + RUNS - 1) / RUNS,
              .tables = tables };

  g_assert (items->bits == queries->bits && items->count < G_MAXUINT32);
  if (memory != NULL)
    turned = assay_alloc (items->count * items->words, sizeof (guint64), "codes", error);
  if (turned == NULL)
    return FALSE;
  assay_codes_turn (items->data, items->count, items->words, turned);
  job.turned = turned;
  for (guint i = 0; i < threads; i++) {
    tables[i].places = memory + i * (words / 2);
    tables[i].counts = (guint32 *) (tables[i].places + QUERIES * RUNS * (bits + 1));
    tables[i].items = tables[i].counts + QUERIES * RUNS * 2 * (bits + 1);
    tables[i].relevant = tables[i].items + bits + 1;
  }
  assay_parallel_for ((queries->count + QUERIES - 1) / QUERIES, rank_block, &job);
  return TRUE;
}
