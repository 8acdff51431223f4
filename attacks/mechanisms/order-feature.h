/* Features of the order of columns, beside those of table-feature.h. */
#pragma once

#include "attacks/mechanisms/table-feature.h"

gsize order_feature_count (gsize cols);
void order_feature_make (gsize index, gsize cols, TableFeature *ret_feature);
