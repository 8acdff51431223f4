/* Mutual information of two ways to divide the same rows. */
#include "core/stats/mutual-information.h"

#include <math.h>

/* Counts of rows. */
typedef struct {
  const AssayPartitions *partitions;
  double *both;  /* n_one x n_other */
  double *one;   /* n_one: a */
  double *other; /* n_other: b */
} Counts;

static Counts
count_rows (const AssayPartitions *partitions)
{
  const gsize r = partitions->n_one, s = partitions->n_other;
  Counts counts = { .partitions = partitions, .both = g_new0 (double, r *s + r + s) };

  counts.one = counts.both + r * s;
  counts.other = counts.one + r;
  for (gsize i = 0; i < partitions->n; i++) {
    counts.both[(gsize) partitions->one[i] * s + (gsize) partitions->other[i]]++;
    counts.one[partitions->one[i]]++;
    counts.other[partitions->other[i]]++;
  }
  return counts;
}

static double
entropy_of (const double *counts, gsize parts, double n)
{
  double sum = 0;

  for (gsize i = 0; i < parts; i++)
    if (counts[i] > 0)
      sum -= counts[i] / n * log (counts[i] / n);
  return sum;
}

/* The part of E of two parts of @a and @b rows: over the number of rows x that they may share, the
 * probability of it times what it adds. @factorials: ln k! for k up to n. */
static double
expect_pair (gsize a, gsize b, gsize n, const double *factorials)
{
  const gsize least = a + b > n ? a + b - n : 0;
  const double fixed = factorials[a] + factorials[b] + factorials[n - a] + factorials[n - b]
                       - factorials[n];
  double sum = 0;

  for (gsize x = MAX (least, 1); x <= MIN (a, b); x++) {
    const double ways = fixed - factorials[x] - factorials[a - x] - factorials[b - x]
                        - factorials[n + x - a - b];

    sum += (double) x / (double) n * log ((double) n * (double) x / ((double) a * (double) b))
           * exp (ways);
  }
  return sum;
}

static double
expect (const Counts *counts)
{
  const AssayPartitions *partitions = counts->partitions;
  const gsize n = partitions->n;
  g_autofree double *factorials = g_new0 (double, n + 1);
  double sum = 0;

  for (gsize k = 2; k <= n; k++)
    factorials[k] = factorials[k - 1] + log ((double) k);
  for (gsize i = 0; i < partitions->n_one; i++)
    for (gsize j = 0; j < partitions->n_other; j++)
      if (counts->one[i] > 0 && counts->other[j] > 0)
        sum += expect_pair ((gsize) counts->one[i], (gsize) counts->other[j], n, factorials);
  return sum;
}

/* ln (n n_ij / (a_i b_j)) of the parts of row @row. */
static double
shared_of (const Counts *counts, gsize row)
{
  const AssayPartitions *partitions = counts->partitions;
  const gsize i = (gsize) partitions->one[row], j = (gsize) partitions->other[row];

  return log ((double) partitions->n * counts->both[i * partitions->n_other + j]
              / (counts->one[i] * counts->other[j]));
}

static AssayMutualInformation
measure (const Counts *counts)
{
  const AssayPartitions *partitions = counts->partitions;
  const double n = (double) partitions->n;
  AssayMutualInformation found = { .expected = expect (counts) };

  found.entropy_one = entropy_of (counts->one, partitions->n_one, n);
  found.entropy_other = entropy_of (counts->other, partitions->n_other, n);
  for (gsize i = 0; i < partitions->n; i++)
    found.information += shared_of (counts, i) / n;
  return found;
}

AssayMutualInformation
assay_mutual_information (const AssayPartitions *partitions)
{
  Counts counts = count_rows (partitions);
  const AssayMutualInformation found = measure (&counts);

  g_free (counts.both);
  return found;
}

/* What a row does to the entropy: - ln (count / n). */
static double
surprise (double count, gsize n)
{
  return -log (count / (double) n);
}

double
assay_adjusted_information (const AssayPartitions *partitions, AssayInformationNorm norm,
                            double *ret_influences)
{
  Counts counts = count_rows (partitions);
  const AssayMutualInformation found = measure (&counts);
  const double h = found.entropy_one, g = found.entropy_other;
  const double share = norm == ASSAY_INFORMATION_ARITHMETIC ? 0.5 : h >= g ? 1 : 0;
  const double most = share * h + (1 - share) * g, range = most - found.expected;
  const gboolean are_equal = range <= 1e-12 * MAX (most, 1);
  const double adjusted = are_equal ? 1 : (found.information - found.expected) / range;

  for (gsize i = 0; ret_influences != NULL && i < partitions->n; i++) {
    const double surprise_one = surprise (counts.one[partitions->one[i]], partitions->n);
    const double surprise_other = surprise (counts.other[partitions->other[i]], partitions->n);
    const double of_most = share * surprise_one + (1 - share) * surprise_other - most;

    ret_influences[i] = adjusted;
    if (!are_equal)
      ret_influences[i]
          += (shared_of (&counts, i) - found.information - adjusted * of_most) / range;
  }
  g_free (counts.both);
  return adjusted;
}
