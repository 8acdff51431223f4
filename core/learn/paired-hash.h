/* The hash functions of a release of kind paired-codes: one of either modality, linear or with one
 * hidden layer of ReLUs. */
#pragma once

#include "core/data/kinds/paired-codes.h"

typedef enum { ASSAY_PAIRED_IMAGE, ASSAY_PAIRED_TEXT, ASSAY_N_PAIRED } AssayPairedSide;

/* The names of either side's arrays in a release. */
extern const char *const assay_paired_codes[ASSAY_N_PAIRED];   /* "image-codes", "text-codes" */
extern const char *const assay_paired_layer_1[ASSAY_N_PAIRED]; /* "image-layer1", ... */
extern const char *const assay_paired_layer_2[ASSAY_N_PAIRED]; /* "image-layer2", ... */

/* Codes of @rows (n x d, those of one modality) as the function of @side in @release makes them:
 * uint8 n x bytes. With h = A (x, 1) of layer 1, or B (max (h, 0), 1) of layer 2 where there is
 * one, a bit is set where its number is above 0. ASSAY_ERROR_MISMATCH where the release has no such
 * function, or one of rows with other columns. The same for any number of threads. */
AssayArray *assay_paired_hash (const AssayRelease *release, AssayPairedSide side, AssayView rows,
                               GError **error);
