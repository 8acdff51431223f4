/* What attacks on model updates claim of users' weights (core/games/guesses/weights.h). */
#pragma once

#include "core/games/guesses/weights.h"
#include "core/plugin/attack.h"

/* What such attacks write: claims, with the rows that weights stand in where they are found (-1:
 * not), scores of supports, or how many weights two users have in common. */
extern const AssayArraySpec weight_claims_arrays[], weight_support_arrays[],
    weight_overlap_arrays[];

/* Claims that are being collected. */
typedef struct {
  GArray *numbers; /* gint64: ASSAY_CLAIM_NUMBERS of each */
  GArray *values;  /* float */
} WeightClaims;

void weight_claims_init (WeightClaims *claims);
ASSAY_DECLARE_CLEAR (WeightClaims, weight_claims_clear)

/* "In step @step user @user (-1: one of them) sent @value of weight @weight." */
typedef struct {
  gsize step;
  gint64 user;
  gsize weight;
  double value;
} WeightClaim;

void weight_claims_add (WeightClaims *claims, const WeightClaim *claim);

/* Puts them into @ret_guess. */
void weight_claims_take (WeightClaims *claims, AssayGuess *ret_guess);

/* Their descriptor, with the callback `attack`. */
#define WEIGHT_ATTACK(symbol, name, ...)                                                           \
  ASSAY_ATTACK (symbol, name, .reads = ASSAY_RELEASE_UPDATES, .game = ASSAY_GAME_RECONSTRUCT,      \
                .attack = attack, __VA_ARGS__)
