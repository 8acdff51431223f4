/* Joint-modal distribution-based similarity hashing (Liu, Qian, Guan, Zhan and Ying 2020): a
 * baseline that sees features alone, no graph and no labels; the non-private bound of DMP-MH's
 * tables.
 *
 * Of the B items of a batch, with cosines of their rows as they are, s_m = 2 cos - 1 of modality m,
 * and h the product of the rows of s_I, to length 1, with those of s_T:
 *   s = 0.3 s_I + 0.3 s_T + 0.2 (h + h').
 * Of the s off the diagonal, with median m, lowest and highest number, l = m - 2 times the root
 * mean square of s - m below m, r = m + 4 times the mean of s - m above it: pairs that are clearly
 * alike or unlike count more,
 *   s < l: s (1 + 0.1 exp (lowest - s)),   s > r: s (1 + 0.2 exp (s - highest)),   S = 1.47 s.
 * Encoders u and v are trained on the mean over i, j of
 *   (cos (u_i, v_j) - S_ij)^2 + (cos (u_i, v_j) - S_ji)^2
 *   + 0.1 ((cos (u_i, u_j) - S_ij)^2 + (cos (v_i, v_j) - S_ij)^2)
 * less the mean over i of cos (u_i, v_i). S is symmetric. The encoders are as in djsrh. */
#include "defenses/pairs/cosine-loss.h"

COSINE_DEFENSE (jdsh, "jdsh", cosine_jdsh,
  .summary = "Hash codes of two modalities whose cosines follow those of features, clear ones "
             "weighted up",
  .reference = { "Liu, Qian, Guan, Zhan and Ying 2020, Joint-modal Distribution-based Similarity "
                 "Hashing for Large-scale Unsupervised Deep Cross-modal Retrieval",
                 "section 3" });
