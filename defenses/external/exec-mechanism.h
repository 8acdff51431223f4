/* What a program claims to be private, as the distinguishing game plays it.
 *
 * With epsilon > 0 the program of the defense exec is a mechanism too: it is asked (role
 * "mechanism", core/external/exec-folder.h) for many runs on one input at once, so that a game of a
 * million runs costs some starts of a process and not a million.
 *
 * Neighbouring inputs stand in a .npy file, 2p x d or 2p x r x d: input 2i and input 2i + 1 are
 * pair i, each of one row or of a small dataset of r rows, as the sensitivity of a query is one of
 * datasets. A row that is NaN throughout is not there: neighbours may have another number of rows
 * (one record more or less). Numbers are given to the program as float32. Beside the file, or in
 * its place, settings declare the inputs (exec-domain.h), of which the audit makes pairs. */
#pragma once

#include "core/plugin/mechanism.h"
#include "defenses/external/exec-settings.h"

/* One start a side for the usual 100,000 runs, eight for a million: what interpreters and NumPy
 * need to start is then little beside the runs themselves, and what is lost by a cancelled or a
 * failed batch, and held in memory (half a MiB for each number of an output), stays small. Every
 * start is asked for as many, also where an auditor learns on a few thousand runs of each pair. */
#define EXEC_BATCH 131072

#define EXEC_MECHANISM_PARAMETERS                                                                  \
  ASSAY_PARAM_REAL (ExecMechanism, epsilon, 0, 0, 60, "nats",                                      \
                    "Privacy budget that the program claims, for attacks that test claims; "       \
                    "0: it claims none",                                                           \
                    ASSAY_PARAM_EXTRA),                                                            \
      ASSAY_PARAM_REAL (ExecMechanism, delta, 0, 0, 1, "",                                         \
                        "delta of that claim, less than 1; 0: the claim has epsilon alone",        \
                        ASSAY_PARAM_EXTRA),                                                        \
      ASSAY_PARAM_STRING (ExecMechanism, relation, "",                                             \
                          "Which inputs are neighbours by its claim, in words",                    \
                          ASSAY_PARAM_EXTRA),                                                      \
      ASSAY_PARAM_STRING (ExecMechanism, neighbours, "",                                           \
                          "A .npy file of neighbouring inputs, 2p x columns or 2p x rows x "       \
                          "columns: inputs 2i and 2i + 1 are a pair; a row of NaN is left out. "   \
                          "Looked for in the scenario's folder, then in the working folder",       \
                          ASSAY_PARAM_EXTRA),                                                      \
      ASSAY_PARAM_INT (ExecMechanism, outputs, 1, 1, 1e6, "", "Numbers in the output of one run",  \
                       ASSAY_PARAM_EXTRA),                                                         \
      ASSAY_PARAM_INT (ExecMechanism, batch, EXEC_BATCH, 1024, 1 << 26, "runs",                    \
                       "The runs that each start of the program is asked for, whatever they are "  \
                       "for, unless the audit as a whole needs fewer on an input; a multiple of "  \
                       "1024",                                                                     \
                       ASSAY_PARAM_EXTRA)

extern const AssayMechanism exec_mechanism;

/* ASSAY_ERROR_PARAMETER for settings that contradict each other. No file is looked at. */
gboolean exec_mechanism_check (const ExecMechanism *settings, GError **error);

/* The program's files and that of its neighbours (core/plugin/plugin.h). */
GPtrArray *exec_mechanism_files (const ExecMechanism *settings);

/* Bytes that a batch holds beside the program's own. */
guint64 exec_mechanism_memory (const ExecMechanism *settings);
