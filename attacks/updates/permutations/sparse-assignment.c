/* Linear assignment where only few columns come into question for a row. */
#include "attacks/updates/permutations/sparse-assignment.h"

#include <float.h>

/* The best column for a row, what it costs with its price, and what the next one does. */
typedef struct {
  gsize column;
  double least, next;
} Choice;

static Choice
choose (const SparseAssignment *problem, gsize row, const double *prices)
{
  Choice choice = { SPARSE_ASSIGNMENT_NONE, DBL_MAX, DBL_MAX };

  for (gsize c = 0; c < problem->candidates; c++) {
    const gsize column = problem->columns[row * problem->candidates + c];
    double cost;

    if (column == SPARSE_ASSIGNMENT_NONE)
      break;
    cost = (double) problem->costs[row * problem->candidates + c] + prices[column];
    if (cost < choice.least) {
      choice.next = choice.least;
      choice.least = cost;
      choice.column = column;
    } else if (cost < choice.next) {
      choice.next = cost;
    }
  }
  return choice;
}

static double
least_cost (const SparseAssignment *problem, gsize row)
{
  double least = DBL_MAX;

  for (gsize c = 0; c < problem->candidates; c++)
    if (problem->columns[row * problem->candidates + c] == SPARSE_ASSIGNMENT_NONE)
      break;
    else
      least = MIN (least, (double) problem->costs[row * problem->candidates + c]);
  return least;
}

void
sparse_assignment_solve (const SparseAssignment *problem, gsize *ret_columns)
{
  g_autofree double *prices = g_new0 (double, problem->n_columns);
  g_autofree gsize *owners = g_new (gsize, problem->n_columns);
  g_autofree gsize *waiting = g_new (gsize, problem->n);
  gsize n_waiting = problem->n;

  for (gsize c = 0; c < problem->n_columns; c++)
    owners[c] = SPARSE_ASSIGNMENT_NONE;
  for (gsize i = 0; i < problem->n; i++) {
    waiting[i] = problem->n - 1 - i;
    ret_columns[i] = SPARSE_ASSIGNMENT_NONE;
  }
  while (n_waiting > 0) {
    const gsize row = waiting[--n_waiting];
    const Choice choice = choose (problem, row, prices);
    const double limit = least_cost (problem, row) + problem->give_up;

    if (choice.column == SPARSE_ASSIGNMENT_NONE || choice.least > limit)
      continue;
    prices[choice.column] += MIN (choice.next, limit) - choice.least + problem->bid;
    if (owners[choice.column] != SPARSE_ASSIGNMENT_NONE) {
      ret_columns[owners[choice.column]] = SPARSE_ASSIGNMENT_NONE;
      waiting[n_waiting++] = owners[choice.column];
    }
    owners[choice.column] = row;
    ret_columns[row] = choice.column;
  }
}

void
sparse_assignment_keep (gsize *columns, float *costs, gsize n, gsize row, float cost)
{
  gsize at = n - 1;

  while (at > 0 && costs[at - 1] > cost) {
    costs[at] = costs[at - 1];
    columns[at] = columns[at - 1];
    at--;
  }
  costs[at] = cost;
  columns[at] = row;
}
