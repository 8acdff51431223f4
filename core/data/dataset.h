/* Datasets: rows by role, and what is known of them beside their values. */
#pragma once

#include <glib.h>

#include "core/data/array.h"
#include "core/data/photo.h"
#include "core/data/rows.h"

G_BEGIN_DECLS

#define ASSAY_MAX_CHANNELS 3 /* of images of which numbers of single channels are told */

/* Rows that are images: height x width pixels of interleaved channels. */
typedef struct {
  gsize height; /* 0: rows are no images */
  gsize width;
  gsize channels;
  double black, white; /* the values that show so; equal: every image has a scale of its own */
  /* Numbers are those of 0 (black) to 1 less the mean of their channel, by its deviation. A
   * deviation of 0: it is not said. */
  double mean[ASSAY_MAX_CHANNELS], deviation[ASSAY_MAX_CHANNELS];
  /* Of rows that are no images: column j is in multiples of units[j], a power of two, for the
   * programs of others, who get and give back its own numbers. The dataset's; NULL: it is as it
   * is. */
  const float *units;
} AssayGeometry;

/* What a dataset has beside rows: said before it is opened, so that what cannot be measured is
 * refused with the scenario. */
typedef enum {
  ASSAY_HAS_LABELS = 1 << 0,        /* of the secrets */
  ASSAY_HAS_FRAMES = 1 << 1,        /* of the secrets: keypoints of photographs, which are there */
  ASSAY_HAS_PUBLIC_FRAMES = 1 << 2, /* the same of the public rows */
  ASSAY_HAS_VIEWS = 1 << 3,         /* a second view of each group, in the role test */
  ASSAY_HAS_TEST_LABELS = 1 << 4,   /* rows of the role test, with labels */
  ASSAY_HAS_IMAGES = 1 << 5,        /* rows are images: geometry */
  ASSAY_HAS_COUNTERPARTS = 1 << 6,  /* of each secret, another record among the public rows */
  ASSAY_HAS_PUBLIC_LABELS = 1 << 7,
  ASSAY_HAS_ATTRIBUTES = 1 << 8, /* of the secrets */
  ASSAY_HAS_PUBLIC_ATTRIBUTES = 1 << 9,
  ASSAY_HAS_MAP = 1 << 10,   /* cameras of the groups' photographs, and points of the role test */
  ASSAY_HAS_GRAPH = 1 << 11, /* edges between secrets, which are what is private of them */
  ASSAY_HAS_MODALITIES = 1 << 12, /* rows are of two modalities, side by side */
  ASSAY_HAS_ORIGINALS = 1 << 13,  /* of secrets and public rows: what they are features of */
} AssayHolding;

char *assay_holdings_describe (guint holdings); /* "labels of the secrets, ..." */

/* What is known of the rows of a role. Arrays have an entry for each of its rows; what is not known
 * is NULL. */
typedef struct {
  AssayArray *labels;     /* int64 n: 0 .. n_classes - 1 */
  AssayArray *label_sets; /* int64 n or n x w, of rows that may have several labels, or none: sets
                           * of them (formats/label-sets.h). `labels` is then one of them, of rows
                           * without any the last class. NULL: one each */
  AssayArray *attributes; /* int64 n x q: further labels, each from 0; columns as in
                           * AssayDataset.attribute_names */
  AssayArray *frames;     /* float32 n x 4: x, y, size and angle of a keypoint, as OpenCV reports
                         * them: pixels of its photograph (the centre of the first is 0, 0), the
                         * diameter of the neighbourhood (twice the scale sigma), degrees turning
                         * from x to y */
  AssayArray *pictures;   /* int64 n: which of the photographs below the row is of */
  AssayRows *originals;   /* n x p: the pictures that the rows are features of */
  AssayArray *points;     /* float64 n x 3: where in space the keypoint is, metres */
  GPtrArray *photos;      /* of AssayPhoto; of secrets the one of group g stands at place g */
} AssayRoleData;

/* An open dataset. Roles that it lacks are NULL. */
typedef struct {
  AssayRows *secrets; /* the pool from which trials draw */
  AssayRows *public_rows;
  AssayRows *database;
  AssayRows *test; /* what an honest receiver tests with; never protected */
  AssayRoleData secret_data;
  AssayRoleData public_data;
  AssayRoleData test_data; /* of views: `pictures` numbers the group, `photos` are the views; of a
                            * map: `pictures` numbers the group whose place it is of */
  gint64 *counterparts;    /* int64 n of secrets: the public row that is another record of the same
                         * person or thing; NULL: unknown */
  gint64 *groups;          /* one number per row of the pool: same number, same group; or NULL */
  gsize n_groups;
  gsize n_classes;
  char **attribute_names;   /* of the columns of `attributes` of all roles; NULL: there are none */
  AssayArray *edges;        /* int64 E x 2: places of the pool that are joined, the lower one first;
                             * rising, and each once. Their rows are then known to everybody, and
                             * private is which of them are joined. NULL: there is no graph */
  gsize first_cols;         /* the columns of all rows before this one are of a first modality
                             * (images), those from it on of a second one (text); 0: one modality */
  AssayArray *homographies; /* float64 n_groups x 3 x 3: takes a pixel (x, y, 1) of the group's
                             * photograph to its view */
  AssayArray *cameras;      /* float64 n_groups x 15, of the group's photograph: focal length f and
                             * centre c in pixels, a rotation R (row-major) and t in metres. A point
                             * X is at p = R X + t, and at the pixel f (p_x, p_y) / p_z + c */
  AssayGeometry geometry;
  float *column_units; /* what geometry.units points to */
  AssayGeometry original_geometry; /* of `originals` */
  char *sha256;                    /* of everything that was read or generated */
} AssayDataset;

guint assay_dataset_holdings (const AssayDataset *dataset); /* set of AssayHolding */

/* NULL: they are not known. */
const gint64 *assay_role_labels (const AssayRoleData *data);
const gint64 *assay_role_pictures (const AssayRoleData *data);

void assay_role_data_clear (AssayRoleData *data);
void assay_dataset_clear (AssayDataset *dataset);

#define ASSAY_PROBE_REMARK 512

/* What can be said before anything is generated or read whole. */
typedef struct {
  gsize n_secrets; /* in the pool; at most so many where is_estimate */
  gsize n_public;
  gsize n_database;
  gsize n_test;
  gsize n_groups; /* 0: secrets are independent */
  gsize n_classes;
  gsize cols;
  guint holdings; /* set of AssayHolding */
  AssayGeometry geometry;
  gboolean is_estimate;
  guint64 memory;                  /* bytes that opening it will hold */
  char remark[ASSAY_PROBE_REMARK]; /* what of the files was not taken as it stands; "": nothing */
} AssayProbe;

G_END_DECLS
