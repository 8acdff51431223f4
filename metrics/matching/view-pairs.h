/* Photographs of which descriptors were released, each with the other view of it that the dataset
 * has: the units of utilities that match. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  gsize group;
  const double *homography; /* 3 x 3, from the photograph to the view; of a map NULL */
  const AssayPhoto *photo;
  const AssayPhoto *view; /* of a map NULL */
  GArray *items;      /* of gsize: secrets of the photograph, as the release numbers them */
  GArray *references; /* of gsize: rows of the dataset's role test */
} ViewPair;

/* One for each group that has a secret among those received, by group. ASSAY_ERROR_MISMATCH and
 * ASSAY_ERROR_DATA where truth or dataset lack something, or number a group that is not there. */
GPtrArray *view_pairs_new (const AssayDataset *dataset, const AssayReceived *received,
                           GError **error);

/* The same with the rows of a map in place of those of a view, of the photograph's place or of all
 * places: without homography and view. */
GPtrArray *map_pairs_new (const AssayDataset *dataset, const AssayReceived *received,
                          gboolean is_whole, GError **error);

/* Where the homography puts (x, y). FALSE where it is mapped to infinity, or lies on the other side
 * of the horizon than the photograph's centre, so that the view cannot show it. */
gboolean view_pair_project (const ViewPair *pair, double x, double y, double *ret_u, double *ret_v);
/* And whether that is in the view. */
gboolean view_pair_shows (const ViewPair *pair, double x, double y);
