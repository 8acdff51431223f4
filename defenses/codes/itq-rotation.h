/* The iteration of ITQ (Gong and Lazebnik 2011, "Iterative Quantization: A Procrustean Approach to
 * Learning Binary Codes", section 2.2) and of PITQ (algorithm 3 of "private hashing", section 3.3),
 * which is the same with Random Flipping inside. Of centred rows Y (n x d):
 *   W    d x c, the c leading principal components;  V = Y W
 *   R_0  c x c, a random rotation
 *   U_t  = sign (V R_t), every sign turned with probability beta (0: ITQ)
 *   R_t+1 = M N',  N O M' the singular value decomposition of U_t' V: of all rotations the one that
 *          least changes V to U_t (orthogonal Procrustes problem). The paper on PITQ prints N N',
 *          which is the identity.
 * What it makes small is the quantisation loss Q = ||sign (V R) - V R||^2. Without flips no step
 * can make it larger. */
#pragma once

#include "core/base/rng.h"
#include "core/math/hash-function.h"
#include "core/math/principal.h"

typedef struct {
  gsize iterations;     /* E, at most */
  double beta;          /* of the flips, in [0, 1) */
  AssayStreamKey start; /* of R_0 */
  AssayStreamKey flips; /* the code of row i draws in iteration t from item t n + i */
} ItqSettings;

typedef enum {
  ITQ_ITERATIONS, /* all of them were made */
  ITQ_CONVERGED,  /* without flips: the loss fell by no more than rounding */
} ItqEnd;

typedef struct {
  AssayMatrix *rotation; /* R, c x c */
  gsize n_iterations;    /* that were made */
  double *losses;        /* Q of R_0 .. R_n_iterations: n_iterations + 1 of them */
  ItqEnd end;
} ItqRotation;

/* Of @projected V (n x c). NULL with ASSAY_ERROR_MEMORY or _NUMERIC. The same to the bit for any
 * number of threads. */
ItqRotation *itq_rotation_new (AssayView projected, const ItqSettings *settings, GError **error);
ASSAY_DECLARE_FREE (ItqRotation, itq_rotation_free)

/* Centred rows in the basis of their principal components: what depends on the data alone. */
typedef struct {
  AssayPrincipal *principal; /* mean, and W' as its vectors: c x d */
  AssayMatrix *projected;    /* V, n x c */
} ItqEmbedding;

/* Of @rows (n x d, n >= 1) in 1 <= @bits <= d components. Where their rank is lower, the rest of V
 * is rounding: bits there are arbitrary, if always the same for the same rows. */
ItqEmbedding *itq_embedding_new (AssayView rows, gsize bits, GError **error);
ASSAY_DECLARE_FREE (ItqEmbedding, itq_embedding_free)

/* PITQ as a function of data and keys, for datasets of any size and cheap for small ones: a run of
 * algorithm 3 on @embedding, which many runs can share. Released are U = sign (V R), without flips
 * (n x bits of +1 and -1), and R (bits x bits, row-major); either may be NULL. */
gboolean pitq_run (const ItqEmbedding *embedding, const ItqSettings *settings, float *ret_signs,
                   float *ret_rotation, GError **error);

/* Learns mean and projection (W R)' from @rows. ASSAY_ERROR_MISMATCH for more bits than components
 * (min (n - 1, d)), ASSAY_ERROR_DATA for rows that vary in fewer directions than that.
 * @ret_rotation may be NULL. */
AssayHashFunction *itq_function_new (AssayView rows, gsize bits, const ItqSettings *settings,
                                     ItqRotation **ret_rotation, GError **error);

/* Bytes that the same holds. */
guint64 itq_memory (gsize rows, gsize cols, gsize bits);
