/* Defenses that learn a hash function of each modality from rows alone: the two modalities in
 * scales of their own, and the release of functions with the codes that these give. */
#pragma once

#include "core/learn/paired-hash.h"
#include "core/learn/standard.h"
#include "core/plugin/plugin.h"

/* The columns of either modality (n x d). ASSAY_ERROR_MISMATCH where there are not two, of two
 * items at least. */
gboolean paired_split (const AssayDefenseContext *context, AssayView secrets,
                       AssayView ret_rows[ASSAY_N_PAIRED], GError **error);
/* The functions of another release, its key. */
void paired_take_key (const AssayRelease *key, AssayRelease *ret_release);
/* The codes that the functions of @ret_release give to @rows. */
gboolean paired_release_codes (const AssayView rows[ASSAY_N_PAIRED], AssayRelease *ret_release,
                               GError **error);

/* ---- Functions that are learned of columns in scales of their own ---- */

typedef struct {
  AssayView rows[ASSAY_N_PAIRED]; /* as they are: n x d of either modality */
  AssayStandard *scales[ASSAY_N_PAIRED];
  AssayMatrix *standard[ASSAY_N_PAIRED]; /* columns of mean 0 and deviation 1 */
} PairedRows;

/* Errors are those of paired_split. */
gboolean paired_rows_init (const AssayDefenseContext *context, AssayView secrets,
                           PairedRows *ret_rows, GError **error);
ASSAY_DECLARE_CLEAR (PairedRows, paired_rows_clear)

/* Linear functions of standardised columns: row l of @weights (count x d) and, where there are
 * @biases, what is added to it. */
typedef struct {
  gsize count;
  const double *weights;
  const double *biases; /* NULL: 0 */
} PairedLinear;

/* Layer 1 of @side: @linear with means and deviations folded in. */
void paired_release_linear (const PairedRows *rows, AssayPairedSide side,
                            const PairedLinear *linear, AssayRelease *ret_release);

/* Adds the layers of both sides to @ret_release. */
typedef gboolean (*PairedLearn) (const AssayDefenseContext *context, const PairedRows *rows,
                                 AssayRelease *ret_release, GError **error);

/* Learns the functions of @secrets, or takes those of the release's key, and adds their codes. */
gboolean paired_release (PairedLearn learn, gsize bits, const AssayDefenseContext *context,
                         AssayView secrets, AssayRelease *ret_release, GError **error);

/* Bytes of the rows. */
guint64 paired_rows_memory (const AssayShape *shape);
