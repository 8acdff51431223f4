#include "defenses/graphs/dmp-settings.h"

const char *const dmp_mirrors[] = { "kl", "euclidean", NULL };
const char *const dmp_supports[] = { "all", "private", NULL };
const char *const dmp_calibrations[] = { "exact", "paper-1", "paper-2", NULL };
const char *const dmp_sensitivities[] = { "degree", "clipped", "input", "local", NULL };
const char *const dmp_relations[] = { "graph", "clipped", NULL };
const char *const dmp_audiences[] = { "touched", "all", NULL };
const char *const dmp_sources[] = { "dataset", "features", "none", NULL };
