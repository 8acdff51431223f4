/* Deep joint-semantics reconstructing hashing (Su, Zhong and Zhang 2019): a baseline that sees
 * features alone, no graph and no labels.
 *
 * Of the B items of a batch, with cosines of their rows as they are, s_m = 2 cos - 1 of modality m,
 *   s = 0.3 s_I + 0.7 s_T,   S = 1.5 (0.6 s + 0.4 s s' / B):
 * how alike two items are is also how alike they are to the others. Encoders u and v are trained on
 *   mean over i, j of (cos (u_i, v_j) - S_ij)^2
 *                     + 0.3 ((cos (u_i, u_j) - S_ij)^2 + (cos (v_i, v_j) - S_ij)^2).
 * Here encoders are linear or have one layer of ReLUs, where the paper has AlexNet and three
 * layers, and u = tanh (f (x)) throughout, where the paper sharpens tanh from epoch to epoch. */
#include "defenses/pairs/cosine-loss.h"

COSINE_DEFENSE (djsrh, "djsrh", cosine_djsrh,
  .summary = "Hash codes of two modalities whose cosines follow those of features and of "
             "neighbourhoods",
  .reference = { "Su, Zhong and Zhang 2019, Deep Joint-Semantics Reconstructing Hashing for "
                 "Large-Scale Unsupervised Cross-Modal Retrieval",
                 "section 3, equations 3 to 7" });
