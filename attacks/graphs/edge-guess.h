/* Scores of pairs as a guess of the game edge, and cases with a known outcome. */
#pragma once

#include "core/games/control-case.h"
#include "core/plugin/attack.h"

/* Room for a score of each pair i < j of @n secrets, 0. ASSAY_ERROR_MEMORY. */
float *edge_guess_scores (gsize n, GError **error);
/* Takes them over; @pairs (two secrets of each of @count, i < j) too, or NULL for all pairs. */
void edge_guess_take (AssayGuess *guess, gsize count, float *scores, gint64 *pairs);

/* The score that a release gives to each pair: the weight of a graph, 0 where there is none; of
 * paired codes minus the sum of the four Hamming distances between a code of either item.
 * ASSAY_ERROR_MEMORY. */
float *edge_guess_of_release (const AssayRelease *release, gsize *ret_count, GError **error);

/* The callback `attack` of one that guesses those scores. */
gboolean edge_guess_attack (const AssayAttackContext *context, const AssayObservation *seen,
                            AssayGuess *ret_guess, GError **error);

/* What an attack of this game declares: it wants a dataset with a graph. */
#define EDGE_GAME .game = ASSAY_GAME_EDGE, .wants = edge_guess_wants
guint edge_guess_wants (gconstpointer settings);

typedef struct {
  /* Edges are drawn between alike items (cosine above a threshold) and not by interactions. */
  gboolean is_alike;
  /* The release has codes of 32 bits, those of sign-codes.h in both modalities. */
  gboolean has_codes;
} EdgeCase;

/* 240 items of two modalities and four classes, joined by a graph; its release has for each edge
 * ln (1 + triangles) as a weight, without noise. Features and the edges between the first half of
 * the items are known. ASSAY_ERROR_MEMORY. */
gboolean edge_case_make (const EdgeCase *made, AssayStreamKey key, AssayControlCase *ret_case,
                         GError **error);
