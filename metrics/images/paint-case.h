/* Photographs that are painted from estimates of their descriptors: what the metric reconstruction
 * is given, checked, and one photograph after another. */
#pragma once

#include "core/plugin/plugin.h"
#include "core/search/scan.h"
#include "core/math/painting/paint.h"

/* Units are the photographs: the groups among the secrets, in ascending order. All but what is
 * allocated is borrowed. */
typedef struct {
  const AssayDataset *dataset;
  double patch;
  AssayView estimates;
  const gint64 *groups; /* of the secrets */
  const AssayPaintFrame *frames;
  const AssayPaintFrame *public_frames;
  const gint64 *public_pictures;
  AssayScale scale; /* of the public rows */
  gsize channels;   /* of what is painted: 3 if any public photograph is in colour */
  gsize *members;   /* the secrets by group, then by number */
  gsize *starts;    /* where unit u begins among them; n_units + 1 */
  gsize n_units;
} PaintCase;

/* ASSAY_ERROR_MISMATCH: no dataset, or one without public photographs and keypoints; arrays that
 * are missing or do not fit. ASSAY_ERROR_NUMERIC: estimates that are not finite. ASSAY_ERROR_DATA:
 * keypoints that are none. To be cleared in any case. */
gboolean paint_case_init (PaintCase *input, const AssayMetricContext *context, double patch,
                          const AssayTruth *truth, const AssayGuess *guess, GError **error);
void paint_case_clear (PaintCase *input);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PaintCase, paint_case_clear)

/* The photograph of a unit. ASSAY_ERROR_MISMATCH names its group: it is not there, or too small for
 * SSIM. */
const AssayPhoto *paint_case_original (const PaintCase *input, gsize unit, GError **error);

/* The public row nearest to each of the members [first, first + count). */
AssayNearest *paint_case_nearest (const PaintCase *input, gsize first, gsize count, GError **error);

/* The picture of a unit; @nearest: public rows of its members, in their order. */
AssayPhoto *paint_case_picture (const PaintCase *input, gsize unit, const gsize *nearest,
                                GError **error);
