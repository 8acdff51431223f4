/* Locality sensitive hashing of either modality by itself (Charikar 2002; defenses/codes/lsh.c):
 * signs of random projections of columns of mean 0 and deviation 1. The projections of images have
 * nothing to do with those of texts, so that a code of one modality says nothing of one of the
 * other: what is retrieved across modalities is chance, and this is the baseline that shows it. */
#include "defenses/codes/hash-learning.h"
#include "defenses/pairs/paired-release.h"

/* Of the common stream: no item of a secret. */
#define PROJECTION_ITEM G_MAXUINT64

typedef struct {
  gint64 bits;
} PairedLsh;

static gboolean
learn (const AssayDefenseContext *context, const PairedRows *rows, AssayRelease *ret_release,
       GError **error)
{
  const HashSettings settings = { .bits = ((const PairedLsh *) context->settings)->bits };
  AssayStream stream = assay_stream (context->common_stream, PROJECTION_ITEM);

  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    const guint32 word = assay_stream_u32 (&stream);
    const HashTraining training = { .rows = assay_matrix_view (rows->standard[s]),
                                    .stream = { { word, assay_stream_u32 (&stream) } } };
    g_autoptr (AssayHashFunction) function = lsh_learn (&training, &settings, error);
    g_autofree double *weights = NULL;

    if (function == NULL) {
      g_prefix_error (error, "%s: ", s == ASSAY_PAIRED_IMAGE ? "images" : "texts");
      return FALSE;
    }
    weights = g_new (double, function->projection->rows * function->projection->cols);
    for (gsize k = 0; k < function->projection->rows * function->projection->cols; k++)
      weights[k] = (double) function->projection->data[k];
    paired_release_linear (rows, s, &(PairedLinear){ function->projection->rows, weights, NULL },
                           ret_release);
  }
  return TRUE;
}

static gboolean
protect (const AssayDefenseContext *context, AssayView secrets, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  return paired_release (learn, (gsize) ((const PairedLsh *) context->settings)->bits, context,
                         secrets, ret_release, error);
}

/* ---- Descriptor ---- */

ASSAY_MEMORY (memory, PairedLsh,
              paired_rows_memory (shape)
                  + 3 * sizeof (double) * (guint64) settings->bits * shape->cols)

ASSAY_DEFENSE (paired_lsh, "paired-lsh",
  .summary = "Hash codes of two modalities: signs of random projections of each by itself",
  .reference = { "Charikar 2002, Similarity Estimation Techniques from Rounding Algorithms",
                 "section 3" },
  ASSAY_SETTINGS (PairedLsh,
    ASSAY_PARAM_INT (PairedLsh, bits, 32, 1, 1024, "bits", "Length of either code")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .protect = protect);
