/* Attacks on mixtures of Gaussian images, and where they rank the secrets. */
#pragma once

#include "attacks/mixtures/mixture-control.h"
#include "core/plugin/plugin.h"

#define DEVIATIONS 5.0 /* of a normal: exceeded with chance 6e-7 */

extern const AssayAttack assay_attack_inner_product_subtract;
extern const AssayAttack assay_attack_averaging;
extern const AssayAttack assay_attack_similarity_search;

typedef struct {
  AssayControlCase made;
  AssayGuess *guess;
} MixtureGame;

void mixture_game_clear (MixtureGame *game);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MixtureGame, mixture_game_clear)

/* Plays the attack on what @game holds; its guess is @game->guess. */
gboolean mixture_game_try (const AssayAttack *attack, const char *assignments, gboolean with_groups,
                           MixtureGame *game, GError **error);

/* The same, which must succeed. */
void mixture_game_play (const AssayAttack *attack, const char *assignments, gboolean with_groups,
                        MixtureGame *game);

void mixture_game_make (const MixtureControl *control, guint64 seed, MixtureGame *game);

const AssayArray *mixture_game_array (const AssayArrays *arrays, const char *name);

/* Of the ranks, from 1, of all partners of all items. */
double mixture_game_median_rank (const MixtureGame *game);
double mixture_game_mean_rank (const MixtureGame *game);
