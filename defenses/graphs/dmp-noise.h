/* How much noise dmp-graph adds. */
#pragma once

#include "defenses/graphs/dmp-settings.h"

/* T */
gsize dmp_rounds (const DmpGraph *settings);

/* Delta2 by the settings; @codegree is the largest number of common neighbours of two nodes of the
 * clipped graph, for `sensitivity = local` alone. */
double dmp_sensitivity (const DmpGraph *settings, gsize codegree);

/* The deviation sigma of the noise of one round, as if the budget were @epsilon; and sigma_1 =
 * sigma / sqrt (T), that of the mean of all rounds, which is all that they tell of the motifs. */
double dmp_sigma (const DmpGraph *settings, double epsilon, gsize codegree);
double dmp_sigma_of_mean (const DmpGraph *settings, double epsilon, gsize codegree);

/* eta: without a setting 1 / (T sigma at T = 1), and without noise 1 / D. */
double dmp_step (const DmpGraph *settings, gsize codegree);
