/* How much two ways to divide the same rows have in common: mutual information, adjusted for what
 * chance would give.
 *
 * With n_ij of n rows in part i of one and part j of the other, a_i = sum_j n_ij, b_j = sum_i n_ij,
 *   MI = sum_ij n_ij / n ln (n n_ij / (a_i b_j)),   H = - sum_i a_i / n ln (a_i / n),
 *   AMI = (MI - E) / (M - E)
 * with E the mean of MI over all ways to put rows into parts of these sizes (hypergeometric), and M
 * the larger of the two entropies, or their mean. 1: the same; 0: as by chance; below 0: less.
 *
 * Source: Vinh, Epps and Bailey 2010, "Information Theoretic Measures for Clusterings Comparison:
 * Variants, Properties, Normalization and Correction for Chance", equation 24a (E), table 2. */
#pragma once

#include <glib.h>

typedef enum {
  ASSAY_INFORMATION_MAX,
  ASSAY_INFORMATION_ARITHMETIC,
} AssayInformationNorm;

typedef struct {
  const gint64 *one, *other; /* n: the part of each row, from 0 */
  gsize n;
  gsize n_one, n_other; /* parts, with rows or without */
} AssayPartitions;


typedef struct {
  double information; /* MI */
  double expected;    /* E */
  double entropy_one, entropy_other;
} AssayMutualInformation;

AssayMutualInformation assay_mutual_information (const AssayPartitions *partitions);

/* AMI, 1 where M = E, as both ways are the same then. @ret_influences (n), or NULL: what each
 * row does to it, AMI + n dAMI / dw_i at the weights w = 1 of rows, with E as it is (it changes by
 * a part in n). Their mean is AMI. */
double assay_adjusted_information (const AssayPartitions *partitions, AssayInformationNorm norm,
                                   double *ret_influences);
