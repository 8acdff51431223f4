/* What mixture-inversion is measured on: the rows of the tables, and the images of each. */
#pragma once

#include "bench/measure.h"
#include "core/data/dataset.h"

#define MIXTURE_CLASSES 10

/* What the attacker is told wrongly. */
typedef enum {
  NOTHING,
  INVENTED_LABELS, /* those of other mixtures, in another order */
  UNIT_PUBLIC,     /* public images from 0 to 1 where the release is normalised */
} Twist;

/* Of which images mixtures are made. */
typedef enum {
  PHOTOGRAPHS, /* CIFAR-10's, behind patches of photographs */
  DIGITS,      /* MNIST's, behind garments */
  PATCHES,     /* patches of photographs, behind the others of them */
} Kind;

typedef struct {
  gsize n_secrets;
  gsize epochs;
  gsize k;
  gboolean labels;
  const char *public_known; /* file of the attack's public images */
  int matchings;            /* negative: the default */
  int rounds;
  const char *made; /* more settings of the defense, "NAME=VALUE NAME=VALUE" */
  Twist twist;
  Kind kind;
  double known_share; /* of the public set that the attacker has; 0: all of it */
} Case;

/* A line of a table. */
typedef struct {
  const char *name;
  const char *row; /* what the case is called */
  Case c;
} Row;

const Row *mixture_rows (gsize *ret_count);

/* The images of a case, each pixel normalised by its channel's mean and deviation over its set. */
typedef struct {
  AssayGeometry geometry;
  AssayMatrix *secrets; /* n x d */
  gint64 *labels;       /* n */
  AssayRows *mixed_with;
  AssayRows *known; /* what the attacker has in place of these */
} Scene;

/* Ends the program where a file of ASSAY_DATA is missing. */
Scene scene_make (const Case *c, gboolean is_grey, guint64 seed);
void scene_clear (Scene *scene);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)
