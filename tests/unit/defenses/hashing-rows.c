#include "tests/unit/defenses/hashing-rows.h"

#include <math.h>

#include "tests/reference/fixtures.h"

#include <math.h>

AssayStreamKey
hashing_key (const char *role, guint64 trial)
{
  return assay_stream_key (8, trial, role, "");
}

AssayMatrix *
hashing_rows (gsize n, gsize d, guint64 trial)
{
  AssayMatrix *rows = fixture_normal (n, d, trial);

  for (gsize i = 0; i < n * d; i++)
    rows->data[i] *= (float) pow (0.93, (double) (i % d));
  return rows;
}
