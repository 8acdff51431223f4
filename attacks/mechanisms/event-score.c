/* The exact score, and what all scores have in common. */
#include "attacks/mechanisms/event-score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"

typedef struct {
  gsize n_inputs;
  float inputs[]; /* of both sides */
} Likelihood;

static void
score_likelihood (gconstpointer data, const AssayOracle *oracle, AssayOutputs outputs, gsize count,
                  double *ret_scores)
{
  const Likelihood *likelihood = data;
  const float *inputs = likelihood->inputs;

  assay_oracle_log_ratio (oracle, (AssayInputPair){ inputs, inputs + likelihood->n_inputs },
                          outputs, count, ret_scores);
}

EventScore *
event_score_likelihood (const AssayOracle *oracle, guint pair, GError **error)
{
  EventScore *score;
  g_autofree Likelihood *likelihood
      = g_malloc (sizeof (Likelihood) + 2 * oracle->n_inputs * sizeof (float));

  likelihood->n_inputs = oracle->n_inputs;
  if (!assay_oracle_pair (oracle, pair, likelihood->inputs, likelihood->inputs + oracle->n_inputs,
                          error))
    return NULL;
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "log-likelihood ratio",
                         .score = score_likelihood,
                         .data = g_steal_pointer (&likelihood),
                         .free_data = g_free };
  return score;
}

ASSAY_FREE_FUNC (EventScore, event_score_free, self->free_data (self->data))

typedef struct {
  const EventScore *score;
  const AssayOracle *oracle;
  AssayOutputs outputs;
  gsize count;
  double *scores;
} Scoring;

static void
score_panel (gsize index, guint worker, gpointer data)
{
  const Scoring *job = data;
  const gsize first = index * ASSAY_PANEL_RUNS;

  (void) worker;
  job->score->score (job->score->data, job->oracle, assay_outputs_from (job->outputs, first),
                     MIN (ASSAY_PANEL_RUNS, job->count - first), job->scores + first);
}

static gboolean
is_finite (AssayOutputs outputs, gsize run)
{
  for (gsize j = 0; j < outputs.cols; j++)
    if (!isfinite (assay_output_at (outputs, run, j)))
      return FALSE;
  return TRUE;
}

gboolean
event_score_all (const EventScore *score, const AssayOracle *oracle, AssayOutputs outputs,
                 gsize count, double *ret_scores, GError **error)
{
  Scoring job = {
    .score = score, .oracle = oracle, .outputs = outputs, .count = count, .scores = ret_scores
  };

  assay_parallel_for ((count + ASSAY_PANEL_RUNS - 1) / ASSAY_PANEL_RUNS, score_panel, &job);
  for (gsize i = 0; i < count; i++) {
    if (!isnan (ret_scores[i]))
      continue;
    if (is_finite (outputs, i))
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "the %s of training run %zu is not a number", score->what, i);
    ret_scores[i] = 0;
  }
  return TRUE;
}

/* ---- Formulas ---- */

static void
clear_term (gpointer data)
{
  g_free (((EventTerm *) data)->where);
}

GArray *
event_terms_new (void)
{
  GArray *terms = g_array_new (FALSE, FALSE, sizeof (EventTerm));

  g_array_set_clear_func (terms, clear_term);
  return terms;
}

void
event_terms_add (GArray *terms, double weight, char *where)
{
  const EventTerm term = { weight, where };

  g_array_append_val (terms, term);
}

/* The largest first. */
static int
compare_terms (gconstpointer a, gconstpointer b)
{
  const EventTerm *x = a, *y = b;

  if (fabs (x->weight) != fabs (y->weight))
    return fabs (x->weight) > fabs (y->weight) ? -1 : 1;
  return strcmp (x->where, y->where);
}

char *
event_terms_join (GArray *terms, gsize more)
{
  GString *text = g_string_new ("");
  const gsize n = terms->len + more;

  g_array_sort (terms, compare_terms);
  for (guint t = 0; t < MIN (terms->len, EVENT_MOST_TERMS); t++) {
    const EventTerm *term = &g_array_index (terms, EventTerm, t);

    g_string_append_printf (text, "%s%+.4g %s", t > 0 ? ", " : "", term->weight, term->where);
  }
  if (n > EVENT_MOST_TERMS)
    g_string_append_printf (text, " and %zu smaller terms", n - EVENT_MOST_TERMS);
  return g_string_free (text, FALSE);
}

#define MOST_ROW_COLUMNS 12

char *
event_where_row (AssayOutputs outputs, gsize run)
{
  const gsize n = MIN (outputs.cols, MOST_ROW_COLUMNS);
  g_autoptr (GString) values = g_string_new ("");

  for (gsize j = 0; j < n; j++) {
    g_autofree char *value = event_number (assay_output_at (outputs, run, j));

    g_string_append_printf (values, "%s%s", j > 0 ? ", " : "", value);
  }
  if (n < outputs.cols)
    return g_strdup_printf ("where the row begins (%s)", values->str);
  return g_strdup_printf ("where the row is (%s)", values->str);
}

/* ---- Rows and values as whole numbers ---- */

/* Every column stirs all 64 bits: half a round of the finaliser of MurmurHash3 (Appleby 2011). */
guint64
event_score_hash (AssayOutputs outputs, gsize run)
{
  guint64 hash = outputs.cols;

  for (gsize j = 0; j < outputs.cols; j++) {
    hash = (hash ^ event_key_at (outputs, run, j)) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  return hash;
}

#define RADIX_BITS 11
#define RADIX (1u << RADIX_BITS)
#define LEAST_RADIX 1024 /* keys; fewer are sorted sooner by comparing them */

/* Least digit first; digits that all keys share, as the lowest of doubles that were float32, are
 * passed over. */
void
event_sort_keys (guint64 *keys, gsize n)
{
  g_autofree guint64 *other = NULL;
  guint64 *from = keys, *to, varies = 0;

  if (n < LEAST_RADIX) {
    qsort (keys, n, sizeof *keys, assay_compare_uint64s);
    return;
  }
  to = other = g_new (guint64, n);
  for (gsize i = 1; i < n; i++)
    varies |= keys[i] ^ keys[0];
  for (guint shift = 0; shift < 64; shift += RADIX_BITS) {
    gsize starts[RADIX] = { 0 }, sum = 0;
    guint64 *kept = from;

    if ((varies >> shift & (RADIX - 1)) == 0)
      continue;
    for (gsize i = 0; i < n; i++)
      starts[from[i] >> shift & (RADIX - 1)]++;
    for (guint digit = 0; digit < RADIX; digit++) {
      const gsize count = starts[digit];

      starts[digit] = sum;
      sum += count;
    }
    for (gsize i = 0; i < n; i++)
      to[starts[from[i] >> shift & (RADIX - 1)]++] = from[i];
    from = to;
    to = kept;
  }
  if (from != keys)
    memcpy (keys, from, n * sizeof *keys);
}

char *
event_number (double value)
{
  return g_strdup_printf ((double) (float) value == value ? "%.9g" : "%.17g", value);
}
