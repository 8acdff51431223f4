/* Figures of descriptors: distances to the nearest, spectrum, values. */
#pragma once

#include "core/base/rng.h"
#include "core/data/rows.h"
#include "datasets/photographs/sift.h"

#define COLS ASSAY_SIFT_LENGTH
#define N_QUERIES 2000

/* Rows of both kinds, as bytes' values, and which secrets share an image. */
typedef struct {
  AssayMatrix *secrets;
  AssayMatrix *public_rows;
  AssayMatrix *database;
  gint64 *groups;
  double *per_image; /* keypoints of every image, for each 1,000 pixels */
  gsize n_images;
} DescriptorSample;

typedef struct {
  double to_database[5], to_public[5], within_image[5], random_pairs[5], keypoints[5], l1[5];
  double distinct_database, distinct_public;
  double mean[COLS];
  gsize dimensions[3]; /* for 50, 90 and 95 % of the variance */
  double zeros, duplicates;
} DescriptorFigures;

/* Prints @error and ends the program. */
void descriptor_stop (const GError *error);

/* At most @most of the rows, drawn at random and kept in order. */
AssayMatrix *descriptor_draw (const AssayRows *rows, gsize most, AssayStream *stream);

/* Of rows of unit norm, drawn with @seed; sorts @sample->per_image. */
DescriptorFigures descriptor_figures_of (const DescriptorSample *sample, guint64 seed);
