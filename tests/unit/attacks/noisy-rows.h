/* The scene of tests of attacks that learn from releases: normal rows, and rows with noise. */
#pragma once

#include "core/games/control-case.h"
#include "core/plugin/plugin.h"

enum { COLS = 6, SECRETS = 60 };

static inline AssayStreamKey
noisy_key (guint64 seed, const char *role)
{
  return assay_stream_key (seed, 0, role, "");
}

static inline AssayMatrix *
noisy_normals (gsize rows, guint64 seed, const char *role)
{
  AssayStream stream = assay_stream (noisy_key (seed, role), 0);

  return assay_control_normals (rows, COLS, &stream, NULL);
}

/* Rows with noise of deviation @noise; below 0: numbers that have nothing to do with them. */
static inline AssayRelease *
noisy_released (AssayView rows, double noise, guint64 seed, const char *role)
{
  g_autoptr (AssayMatrix) other = noisy_normals (rows.rows, seed, role);

  for (gsize i = 0; noise >= 0 && i < rows.rows * rows.cols; i++)
    other->data[i] = rows.data[i] + (float) noise * other->data[i];
  return assay_control_vectors (assay_matrix_view (other), NULL);
}
