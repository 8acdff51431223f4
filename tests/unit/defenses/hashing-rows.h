/* Rows to be hashed. */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

AssayStreamKey hashing_key (const char *role, guint64 trial);

/* Normal rows with deviations that fall, so that components are far from each other. */
AssayMatrix *hashing_rows (gsize n, gsize d, guint64 trial);
