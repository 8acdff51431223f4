/* One attempt of mixture-inversion, from a start to images, pairs and public images. */
#pragma once

#include "attacks/inversion/mixture-parts.h"

typedef struct {
  AssayStreamKey stream;
  guint64 start;             /* random start number of the embedding */
  gsize n_secrets;           /* n */
  gsize forms;               /* images a secret: 2 where secrets may have been mirrored */
  const float *labels;       /* NULL: none */
  const MixtureParts *parts; /* private parts of the first mixtures; NULL: by squares */
  gint64 matchings; /* with labels and by squares: how often pairs are found from squares */
  gint64 rounds;    /* of public images, secrets and pairs in turn */
} MixturePlay;

/* The state of @intake is made anew, with forms x n images, and without labels if these have
 * nothing to do with its mixtures.
 *
 * By squares: a cold start of everything (mixture-start.h, phase-retrieval.h), signs of pixels from
 * neighbours (sign-tree.h), and then in turn public images, secrets and pairs. By parts: images of
 * which the parts are mixtures, their public images taken over, the same turns with these mixtures
 * alone; then the pairs of all others by the squares of the images, and the turns with all. */
gboolean mixture_play (const MixturePlay *play, MixtureIntake *intake, GError **error);
