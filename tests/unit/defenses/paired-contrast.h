/* What codes of two modalities tell of three groups, of which item i is in group i % 3. */
#pragma once

#include "core/data/exchange.h"

/* The share of bits in which image codes of an item differ from text codes of another one of
 * another group, less that of its own group. */
double paired_contrast (const AssayRelease *release);
