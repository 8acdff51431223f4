/* Rows of two classes for classifiers. */
#pragma once

#include "core/plugin/plugin.h"

enum { SECRETS = 4000, TESTS = 4000, COLS = 6 };

AssayStreamKey classification_key (guint64 trial);

typedef struct {
  AssayMatrix *secrets;
  AssayDataset dataset;
} Material;

void classification_material_clear (Material *material);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Material, classification_material_clear)

/* SECRETS rows to learn from and TESTS to be judged by, multiplied by @scale. */
Material classification_material_make (float scale);
