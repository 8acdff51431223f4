/* Controls that are like the cells, and drawn among them: of programs in place of the small one, of
 * other attacks beside it, where the cell's game gave little (core/games/control-shape.h).
 *
 * A program of others is handed one such case beside the cells of each defense, in a trial that is
 * drawn, before or after the game of that cell, as is drawn too. It cannot tell by size, names or
 * place in the order which of its calls is the control. Those of several trials with one defense
 * differ in their secrets alone, so that one of them stands for all; what is won against one
 * defense says nothing of another, whose releases a program could know by kind and parameters. */
#pragma once

#include "runner/run/workspace.h"
#include "runner/store/records.h"

typedef struct {
  const AssayPlan *plan;
  AssayWorkspace *workspace;
  AssayStore *store;
  const AssayCell *cell;
  const AssaySettings *settings; /* of its attack */
} AssayLikeControl;

/* Whether the attack has one in place of the small one. */
gboolean assay_like_control_replaces (const AssayComponent *attack);
/* The trial beside whose cell it is played, and whether it is played after that cell's game; of
 * attacks without one never. */
guint assay_like_control_trial (const AssayPlan *plan, const AssayCell *cell);
gboolean assay_like_control_is_after (const AssayPlan *plan, const AssayCell *cell);

/* Plays that of an attack which also has a small one, after the game of the cell, whose guess and
 * truth these are; unless the guess is as good as the control asks for, another trial was drawn, or
 * there is none. */
gboolean assay_like_control_follow (const AssayLikeControl *control, const AssayTruth *truth,
                                    const AssayGuess *guess, GError **error);

/* Plays it with what the run will play it with, whatever the store (NULL: none) has; n of
 * @ret_outcome is 0: of a release of this kind none can be made. */
gboolean assay_like_control_try (const AssayLikeControl *control, AssayControlOutcome *ret_outcome,
                                 GError **error);

/* Plays it, unless its outcome is in the store, and stores that. @ret_is_played FALSE: of a release
 * of this kind none can be made. */
gboolean assay_like_control_play (const AssayLikeControl *control, gboolean *ret_is_won,
                                  gboolean *ret_is_played, GError **error);
