/* A leak of known size, injected into a mechanism's own outputs: how much an audit would have seen
 * is measured by playing it again on a mechanism that leaks (docs/statistics.md, "Power").
 *
 * With probability p1 on the first input of a pair, and p2 on the second, a run's output is moved:
 * one of its columns goes to where no output of the mechanism is. Then "it was moved" is an event
 * of exactly the epsilon ln ((p1 - delta) / p2), and nothing else that the mechanism puts out leaks
 * more than before. */
#pragma once

#include "core/plugin/oracle.h"

/* How often an output is moved, by the input that it comes from. */
typedef struct {
  double first, second;
} AssayLeak;

/* The leak of epsilon > 0 at @delta: one run in five on the first input (more where delta asks for
 * it). */
AssayLeak assay_leak_of (double epsilon, double delta);

typedef struct _AssayLeaking AssayLeaking;

/* @oracle's mechanism, leaking; its runs come from @stream. Borrows @oracle. Draws a few runs to
 * see where outputs are: fails where the mechanism does. */
AssayLeaking *assay_leaking_new (const AssayOracle *oracle, AssayStreamKey stream, GError **error);

/* What an attack is given in place of the oracle itself; it leaks as was set last, and at first not
 * at all. */
const AssayOracle *assay_leaking_oracle (const AssayLeaking *leaking);
void assay_leaking_set (AssayLeaking *leaking, AssayLeak leak);

/* Probabilities of an event on the side whose runs are its hits, and on the other. */
typedef struct {
  double hit, mistake;
} AssayEventRates;

/* How often @event, chosen on the oracle of @leaking, is true under @leak: counted apart on @runs
 * outputs that were not moved and on some that were, so that rare events keep their probability. */
gboolean assay_leaking_rates (AssayLeaking *leaking, AssayEvent *event, AssayLeak leak,
                              guint64 runs, AssayEventRates *ret_rates, GError **error);
