/* Features of the lowest bits of outputs that are doubles, beside those of table-feature.h. */
#pragma once

#include "attacks/mechanisms/table-feature.h"

gsize bit_feature_count (gsize cols);
void bit_feature_make (gsize index, const EventSample *sample, TableFeature *ret_feature);
