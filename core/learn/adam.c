#include "core/learn/adam.h"

#include <math.h>

void
assay_adam_step (const AssayAdam *adam, double rate, double step)
{
  const double first = 1 - pow (0.9, step), second = 1 - pow (0.999, step);

  for (gsize k = 0; k < adam->n; k++) {
    const double g = adam->gradient[k];

    adam->first[k] = 0.9 * adam->first[k] + 0.1 * g;
    adam->second[k] = 0.999 * adam->second[k] + 0.001 * g * g;
    adam->weights[k] -= rate * (adam->first[k] / first) / (sqrt (adam->second[k] / second) + 1e-8);
  }
}
