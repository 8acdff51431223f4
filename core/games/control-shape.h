/* A control of the cell's own shape.
 *
 * The small control of an attack shows that the attack works. This one, that it works with so many
 * pixels, images in a mixture, mixtures and secrets: a case as large as the cell, which the attack
 * makes of what is public (AssayControl.make_like; attacks/mixtures/mixture-likeness.h). It is won
 * where the share `like_at_least` of the secrets (of the first 256) comes back with an absolute
 * correlation of `like_above`. That is what claims about images bound; to be nearer than others are
 * to the secret, as programs are asked in control-like.h, takes far less.
 *
 * It is played only where the cell's own game gave less than that, since a game that gave as much
 * shows more than a control could. So it costs at most what the game did, and nothing where the
 * attack succeeds. Lost, it takes nothing back of what was found, and nothing is upheld by what was
 * not (runner/judge/cells.c). */
#pragma once

#include "core/plugin/plugin.h"

/* Whether an attack has one. */
static inline gboolean
assay_control_shape_has (const AssayAttack *attack)
{
  return attack->control.make_like != NULL && attack->external == NULL;
}

/* How a guess does by what it asks for; n is 0 where the guess holds no estimates of rows like the
 * secrets. */
AssayControlOutcome assay_control_shape_judge (const AssayAttack *attack, const AssayTruth *truth,
                                               const AssayGuess *guess);
