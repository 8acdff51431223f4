/* The inputs that a program is for, as its settings declare them (core/plugin/domain.h): bounds of
 * every column, and which inputs are neighbours. Audits make pairs of their own of it. */
#pragma once

#include "core/data/matrix.h"
#include "core/plugin/domain.h"
#include "defenses/external/exec-settings.h"

extern const char *const exec_domain_numbers[];
extern const char *const exec_domain_bounds[];

#define EXEC_DOMAIN_PARAMETERS                                                                     \
  ASSAY_PARAM_CHOICE (ExecMechanism, adjacency, ASSAY_ADJACENCY_NONE, assay_adjacency_names,       \
                      "Which inputs are neighbours, for pairs that the audit makes itself: any "   \
                      "two; two that differ in one value; by one record more or less; in one "     \
                      "record (replace); by an l1, l2 or linf distance of at most `distance`; "    \
                      "none: not declared",                                                        \
                      ASSAY_PARAM_EXTRA),                                                          \
      ASSAY_PARAM_STRING (ExecMechanism, lower, "",                                                \
                          "Lowest value of an input: one number for all columns, or one for "      \
                          "each, separated by commas",                                             \
                          ASSAY_PARAM_EXTRA),                                                      \
      ASSAY_PARAM_STRING (ExecMechanism, upper, "", "Highest value of an input, likewise",         \
                          ASSAY_PARAM_EXTRA),                                                      \
      ASSAY_PARAM_CHOICE (ExecMechanism, numbers, 0, exec_domain_numbers,                          \
                          "Whether values are real or whole numbers", ASSAY_PARAM_EXTRA),          \
      ASSAY_PARAM_REAL (ExecMechanism, distance, 1, 1e-9, 1e9, "",                                 \
                        "adjacency = l1, l2 or linf: the distance up to which inputs are "         \
                        "neighbours",                                                              \
                        ASSAY_PARAM_EXTRA),                                                        \
      ASSAY_PARAM_CHOICE (ExecMechanism, bounds, 0, exec_domain_bounds,                            \
                          "clamped: the claim holds for any input, and is tested with values "     \
                          "far beyond lower and upper; trusted: the program never gets such "      \
                          "values, which the verdict says",                                        \
                          ASSAY_PARAM_EXTRA),                                                      \
      ASSAY_PARAM_INT (ExecMechanism, records, 0, 0, 1e6, "",                                      \
                       "Records in an input; 0: as many as in the file of neighbours, or else "    \
                       "one (two where neighbours have one record more or less)",                  \
                       ASSAY_PARAM_EXTRA),                                                         \
      ASSAY_PARAM_INT (ExecMechanism, columns, 0, 0, 1e6, "",                                      \
                       "Columns of a record; 0: as many as lower has numbers, or as the file of "  \
                       "neighbours has columns",                                                   \
                       ASSAY_PARAM_EXTRA)

/* Whether lower and upper are given, and a domain for pairs is declared. */
gboolean exec_domain_has_bounds (const ExecMechanism *settings);
gboolean exec_domain_is_declared (const ExecMechanism *settings);

/* ASSAY_ERROR_PARAMETER for settings that contradict each other. No file is looked at. */
gboolean exec_domain_check (const ExecMechanism *settings, GError **error);

/* The records and columns of an input, without a file of neighbours. */
void exec_domain_shape (const ExecMechanism *settings, gsize *ret_rows, gsize *ret_cols);

/* The domain of inputs of @rows x @cols, whether or not pairs are made of it; NULL with
 * ASSAY_ERROR_PARAMETER where the settings say another shape. */
AssayDomain *exec_domain_new (const ExecMechanism *settings, gsize rows, gsize cols,
                              GError **error);

/* ASSAY_ERROR_DATA that names record and column of a value of @input outside the domain. */
gboolean exec_domain_check_input (const AssayDomain *domain, const float *input, GError **error);

/* The same of secrets, where bounds are declared for as many columns. */
gboolean exec_domain_check_secrets (const ExecMechanism *settings, AssayView secrets,
                                    GError **error);

/* Pair @index of a file, @inputs both of them: any two that differ; of a declared domain, those in
 * it that are neighbours. @inout_share: the largest so far, of what neighbours may be apart. */
gboolean exec_domain_check_pair (const AssayDomain *domain, gsize index, const float *inputs,
                                 double *inout_share, GError **error);
/* Pairs none of which comes near to what neighbours may be apart show nothing. */
gboolean exec_domain_check_share (const ExecMechanism *settings, const AssayDomain *domain,
                                  double share, GError **error);
