/* dmp-graph as audits see it (core/plugin/mechanism.h). */
#pragma once

#include "core/plugin/mechanism.h"
#include "defenses/graphs/dmp-settings.h"

extern const AssayMechanism dmp_mechanism;

/* The epsilon of pair 0 at the claimed delta, from the distance of its motifs: a closed form where
 * noise is Gaussian and nothing but it is released, which dmp_has_density says. */
double dmp_true_epsilon (const DmpGraph *settings);
gboolean dmp_has_density (gconstpointer settings);

/* The clipped graph by which audits play. Fails as assay_graph_clip does. */
AssayGraph *dmp_audit_clip (const DmpGraph *settings, const AssayGraph *graph);

/* Pairs of nodes whose noisy motifs an output has. */
gsize dmp_count_watched (const DmpGraph *settings);
