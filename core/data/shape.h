/* Sizes that checks and memory estimates need before anything is loaded. */
#pragma once

#include <glib.h>

#include "core/data/dataset.h"

G_BEGIN_DECLS

/* 0: not known yet. */
typedef struct {
  gsize n_secrets; /* a cell's */
  gsize dimension; /* m of the subspaces that an attack reads; 0: plain points, or not known */
  gsize cols;
  gsize n_public;
  gsize n_database;
  gsize n_outputs;  /* numbers in one output of the defense's mechanism; 0: it has none */
  gsize output_bytes; /* of one such output, as an audit holds it */
  gsize n_released; /* items of the release, where it is not one a secret (mixtures); 0: one each */
  gsize n_members;  /* rows that such an item is made of; 0: not known, or one */
  gsize n_test;
  gsize n_classes;
  AssayGeometry geometry; /* of rows that are images */
} AssayShape;

G_END_DECLS
