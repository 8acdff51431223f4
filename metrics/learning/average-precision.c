/* How well scores put rows that have a label before those that have not. With weights w of rows,
 * A_k the weight of the rows with the label that score no less than row k, B_k that of the rows
 * without it, and P the weight of all that have it,
 *   AP = sum over k that have it of w_k / P A_k / (A_k + B_k)
 *   dAP / dw_i = sum over k that have it and score no more than i of
 *                  w_k / P B_k / (A_k + B_k)^2  + (A_i / (A_i + B_i) - AP) / P    if i has it,
 *                - w_k / P A_k / (A_k + B_k)^2                                    if it has not. */
#include "metrics/learning/average-precision.h"

#include "core/base/vectors.h"

/* Rows of one score. */
typedef struct {
  gsize first, end; /* places */
  double members;   /* that have the label */
  double a, b;      /* down to here */
} Tie;

/* Returns how many there are. */
static gsize
find_ties (const AssayRanked *places, const gboolean *has, gsize n, Tie *ret_ties)
{
  gsize count = 0;
  double a = 0, b = 0;

  for (gsize first = 0, end; first < n; first = end) {
    Tie *tie = ret_ties + count++;

    *tie = (Tie){ .first = first };
    for (end = first; end < n && places[end].value == places[first].value; end++) {
      if (has[places[end].place])
        tie->members++;
      else
        b++;
    }
    a += tie->members;
    tie->end = end;
    tie->a = a;
    tie->b = b;
  }
  return count;
}

double
average_precision (const double *scores, const gboolean *has, gsize n, double *inout_influences)
{
  g_autofree AssayRanked *places = g_new (AssayRanked, n);
  g_autofree Tie *ties = g_new (Tie, n);
  double all = 0, ap = 0, of_members = 0, of_others = 0;
  gsize count;

  for (gsize i = 0; i < n; i++) {
    places[i] = (AssayRanked){ -scores[i], i }; /* the highest score first */
    all += has[i] ? 1 : 0;
  }
  assay_rank (places, n);
  count = find_ties (places, has, n, ties);
  for (gsize t = 0; t < count; t++)
    ap += ties[t].members / all * ties[t].a / (ties[t].a + ties[t].b);
  for (gsize t = count; t > 0; t--) {
    const Tie *tie = ties + t - 1;
    const double places_so_far = tie->a + tie->b;
    const double share = tie->members / all / (places_so_far * places_so_far);

    of_members += share * tie->b;
    of_others += share * tie->a;
    for (gsize p = tie->first; p < tie->end; p++) {
      const gsize row = places[p].place;

      inout_influences[row]
          += ap
             + (double) n
                   * (has[row] ? of_members + (tie->a / places_so_far - ap) / all : -of_others);
    }
  }
  return ap;
}
