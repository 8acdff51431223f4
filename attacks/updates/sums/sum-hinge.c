/* The samples of a sum of updates with the hinge loss. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "attacks/updates/sums/sum-space.h"
#include "core/base/free.h"

/* Patterns of more classes than this are not enumerated. */
#define MOST_CLASSES 16
/* A pattern lies in the span where this share of its squared length at most stands out. */
#define IN_SPAN 1e-5
/* Margins of one are told to this. */
#define SLACK 1e-3
#define STARTS 20

/* The patterns in the span. */
typedef struct {
  const SumSpace *space;
  GArray *signs;  /* gint8: classes of each */
  GArray *inside; /* double: U' a, rank of each */
} Patterns;

ASSAY_LOCAL_CLEAR (Patterns, patterns_clear, assay_drop (self->signs, g_array_unref),
                   assay_drop (self->inside, g_array_unref))

static gsize
count_patterns (const Patterns *patterns)
{
  return patterns->signs->len / patterns->space->classes;
}

static const gint8 *
signs_of (const Patterns *patterns, gsize pattern)
{
  return (const gint8 *) patterns->signs->data + pattern * patterns->space->classes;
}

static const double *
inside_of (const Patterns *patterns, gsize pattern)
{
  return (const double *) (gpointer) patterns->inside->data + pattern * patterns->space->rank;
}

static void
consider (Patterns *patterns, const gint8 *signs, double *room)
{
  const SumSpace *space = patterns->space;
  double length = 0, inside = 0;

  memset (room, 0, space->rank * sizeof *room);
  for (gsize k = 0; k < space->classes; k++) {
    length += signs[k] * signs[k];
    for (gsize r = 0; r < space->rank; r++)
      room[r] += signs[k] * space->u[k * space->rank + r];
  }
  for (gsize r = 0; r < space->rank; r++)
    inside += room[r] * room[r];
  if (length == 0 || length - inside > IN_SPAN * length)
    return;
  g_array_append_vals (patterns->signs, signs, (guint) space->classes);
  g_array_append_vals (patterns->inside, room, (guint) space->rank);
}

/* All of 0 and 1, and with each of the ones as -1. */
static void
enumerate (Patterns *patterns)
{
  const gsize classes = patterns->space->classes;
  gint8 signs[MOST_CLASSES];
  double room[MOST_CLASSES];

  for (guint32 set = 1; set < 1u << classes; set++) {
    for (gsize k = 0; k < classes; k++)
      signs[k] = set >> k & 1;
    consider (patterns, signs, room);
    for (gsize k = 0; k < classes; k++) {
      if (!signs[k])
        continue;
      signs[k] = -1;
      consider (patterns, signs, room);
      signs[k] = 1;
    }
  }
}

/* ---- A choice of r patterns ---- */

typedef struct {
  guint contradictions;
  double length; /* of all samples, squared */
} Cost;

static gboolean
is_less (Cost a, Cost b)
{
  return a.contradictions < b.contradictions
         || (a.contradictions == b.contradictions && a.length < b.length);
}

/* Solves B u = S for the r samples' rows, B of the columns U' a_i; FALSE: they depend on each
 * other. @room: r x 2 r. */
static gboolean
solve_samples (const Patterns *patterns, const gsize *chosen, double *room, double *ret_u)
{
  const SumSpace *space = patterns->space;
  const gsize r = space->rank, w = 2 * r;

  for (gsize i = 0; i < r; i++)
    for (gsize j = 0; j < r; j++) {
      room[i * w + j] = inside_of (patterns, chosen[j])[i];
      room[i * w + r + j] = i == j ? space->s[i] : 0;
    }
  for (gsize c = 0; c < r; c++) {
    gsize pivot = c;

    for (gsize i = c + 1; i < r; i++)
      if (fabs (room[i * w + c]) > fabs (room[pivot * w + c]))
        pivot = i;
    if (fabs (room[pivot * w + c]) < 1e-6)
      return FALSE;
    for (gsize j = 0; j < w && pivot != c; j++) {
      const double kept = room[c * w + j];

      room[c * w + j] = room[pivot * w + j];
      room[pivot * w + j] = kept;
    }
    for (gsize i = 0; i < r; i++) {
      const double by = room[i * w + c] / room[c * w + c];

      for (gsize j = c; i != c && j < w; j++)
        room[i * w + j] -= by * room[c * w + j];
    }
  }
  for (gsize i = 0; i < r; i++)
    for (gsize j = 0; j < r; j++)
      ret_u[i * r + j] = room[i * w + r + j] / room[i * w + i];
  return TRUE;
}

/* How many margins of a sample are not as its pattern says; its class. */
static guint
contradict (const SumSpace *space, const gint8 *signs, const double *u, gint64 *ret_label)
{
  gint64 own = -1;
  guint wrong = 0;
  double most = 1;

  for (gsize pass = 0; pass < 2; pass++)
    for (gsize k = 0; k < space->classes; k++) {
      double score = 0;

      for (gsize r = 0; r < space->rank; r++)
        score += space->scores[k * space->rank + r] * u[r];
      if (pass == 0 && signs[k] < 0) {
        own = (gint64) k;
        most = DBL_MAX;
      } else if (pass == 0 && signs[k] == 0 && score > most) {
        own = (gint64) k; /* it meets its own margin, and so leaves no sign */
        most = score;
      } else if (pass == 1 && (gint64) k == own) {
        wrong += signs[k] < 0 && score > 1 + SLACK;
      } else if (pass == 1) {
        wrong += signs[k] > 0 ? score < -1 - SLACK : score > -1 + SLACK;
      }
    }
  *ret_label = own;
  return wrong + (own < 0);
}

static Cost
cost_of (const Patterns *patterns, const gsize *chosen, double *room, double *u)
{
  const gsize r = patterns->space->rank;
  Cost cost = { 0 };

  if (!solve_samples (patterns, chosen, room, u))
    return (Cost){ G_MAXUINT, 0 };
  for (gsize i = 0; i < r; i++) {
    gint64 label;

    cost.contradictions
        += contradict (patterns->space, signs_of (patterns, chosen[i]), u + i * r, &label);
    for (gsize j = 0; j < r; j++)
      cost.length += u[i * r + j] * u[i * r + j];
  }
  return cost;
}

/* Exchanges one pattern after another while the cost gets less. */
static Cost
exchange (const Patterns *patterns, gsize *chosen, double *room, double *u)
{
  const gsize r = patterns->space->rank, n = count_patterns (patterns);
  Cost best = cost_of (patterns, chosen, room, u);
  gboolean is_better = TRUE;

  while (is_better) {
    is_better = FALSE;
    for (gsize i = 0; i < r; i++)
      for (gsize p = 0; p < n; p++) {
        const gsize kept = chosen[i];
        Cost cost;

        chosen[i] = p;
        cost = cost_of (patterns, chosen, room, u);
        if (is_less (cost, best)) {
          best = cost;
          is_better = TRUE;
        } else {
          chosen[i] = kept;
        }
      }
  }
  return best;
}

/* Random independent patterns; FALSE: there are not so many. */
static gboolean
draw_start (const Patterns *patterns, AssayStream *stream, double *room, gsize *ret_chosen)
{
  const gsize r = patterns->space->rank, n = count_patterns (patterns);
  gsize found = 0;
  g_autofree gsize *order = g_new (gsize, n);

  assay_stream_permutation (stream, n, order);
  for (gsize p = 0; p < n && found < r; p++) {
    double left = 0, whole = 0;
    double *row = room + found * r;

    memcpy (row, inside_of (patterns, order[p]), r * sizeof *row);
    for (gsize j = 0; j < r; j++)
      whole += row[j] * row[j];
    for (gsize i = 0; i < found; i++) {
      double along = 0;

      for (gsize j = 0; j < r; j++)
        along += row[j] * room[i * r + j];
      for (gsize j = 0; j < r; j++)
        row[j] -= along * room[i * r + j];
    }
    for (gsize j = 0; j < r; j++)
      left += row[j] * row[j];
    if (left < 1e-4 * whole)
      continue;
    for (gsize j = 0; j < r; j++)
      row[j] /= sqrt (left);
    ret_chosen[found++] = order[p];
  }
  return found == r;
}

GPtrArray *
sum_hinge (const SumSpace *space, AssayStream *stream)
{
  const gsize r = space->rank;
  g_auto (Patterns) patterns = { .space = space };
  g_autofree double *room = g_new (double, 2 * r * r + 1);
  g_autofree double *u = g_new (double, r *r + 1);
  g_autofree gsize *chosen = g_new (gsize, r + 1);
  g_autofree gsize *best = g_new (gsize, r + 1);
  GPtrArray *samples = sum_samples_new ();
  Cost least = { G_MAXUINT, DBL_MAX };

  if (r == 0 || r >= space->classes || space->classes > MOST_CLASSES)
    return samples;
  patterns.signs = g_array_new (FALSE, FALSE, sizeof (gint8));
  patterns.inside = g_array_new (FALSE, FALSE, sizeof (double));
  enumerate (&patterns);
  for (guint start = 0; start < STARTS; start++) {
    Cost cost;

    if (!draw_start (&patterns, stream, room, chosen))
      return samples;
    cost = exchange (&patterns, chosen, room, u);
    if (!is_less (cost, least))
      continue;
    least = cost;
    memcpy (best, chosen, r * sizeof *best);
  }
  if (least.contradictions == G_MAXUINT || !solve_samples (&patterns, best, room, u))
    return samples;
  for (gsize i = 0; i < r; i++) {
    gint64 label;

    (void) contradict (space, signs_of (&patterns, best[i]), u + i * r, &label);
    sum_samples_add (samples, space, u + i * r, label);
  }
  return samples;
}
