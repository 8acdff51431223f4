/* Canaries of a program that takes a whole dataset, for the game one-run: its dataset is a random
 * half of them, and what it releases is scored against all of them. Default canaries are corners of
 * the declared bounds, each number at its lower or its upper one by a coin: of two such records in
 * many columns next to nothing is common, so that each leaves a trace of its own in a sum. */
#pragma once

#include "core/plugin/mechanism.h"
#include "defenses/external/exec-settings.h"

extern const char *const exec_canary_scores[];

#define EXEC_CANARY_PARAMETERS                                                                     \
  ASSAY_PARAM_STRING (ExecMechanism, canaries, "",                                                 \
                      "For one-run: a .npy file of records (canaries x columns), each of which "   \
                      "is in the dataset with probability 1/2; without it they are corners of "    \
                      "lower and upper",                                                           \
                      ASSAY_PARAM_EXTRA),                                                          \
      ASSAY_PARAM_CHOICE (ExecMechanism, canary_score, 0, exec_canary_scores,                      \
                          "What shows that a canary was in the dataset: its inner product with "   \
                          "the release, after the mean of the canaries was subtracted; how near "  \
                          "the nearest row of the release is; or the score of score_command",      \
                          ASSAY_PARAM_EXTRA),                                                      \
      ASSAY_PARAM_STRING (ExecMechanism, score_command, "",                                        \
                          "canary_score = command: a program that gets canaries.npy and "          \
                          "release.npy (1 x numbers) in its folder, with role \"score\", and "     \
                          "writes outputs.npy, one number for each canary: the higher, the more "  \
                          "likely it was in the dataset",                                          \
                          ASSAY_PARAM_EXTRA)

extern const AssayCanaries exec_canaries;

/* Whether there is a file of them, or bounds of which they are made. */
gboolean exec_canaries_are_declared (const ExecMechanism *settings);
/* ASSAY_ERROR_DATA for a file that is none, or holds a value beyond the bounds. */
gboolean exec_canaries_check (const ExecMechanism *settings, GError **error);
/* The paths of what they need. */
void exec_canaries_add_files (const ExecMechanism *settings, GPtrArray *files);
