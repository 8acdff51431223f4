/* Mutants: a defense with one known mistake built into it, to see whether an audit would have seen
 * it (docs/what-a-verdict-means.md). Two families: mistakes of the mechanism that audits of epsilon
 * play (mechanism-mutants.h), and mistakes in what is released (release-mutants.h).
 *
 * A mutant is the base's own plugin and settings with some callbacks replaced. Plugins get their
 * settings and nothing else; so the mutant stands in front of a copy of the values, where its
 * callbacks find it, and those of the base do not look. */
#pragma once

#include "core/plugin/defense.h"

/* What is known of a mutant before it is made. */
typedef struct {
  const char *id;
  const char *says;    /* what is wrong with it */
  const char *seen_by; /* what would see it, for those whose audit did not */
} AssayMutantKind;

typedef struct {
  AssayDefense defense;   /* the mutant, with the id of the base */
  AssaySettings settings; /* those of the base */
  const AssayDefense *base;
  gpointer own; /* of the family */
  GDestroyNotify free_own;
  gint n_changed; /* outputs or items that it changed; atomic */
} AssayMutant;

/* An unchanged copy of @base; borrows it and @settings. */
AssayMutant *assay_mutant_new (const AssayDefense *base, const AssaySettings *settings);
ASSAY_DECLARE_FREE (AssayMutant, assay_mutant_free)

/* The mutant whose settings a callback was given. */
AssayMutant *assay_mutant_of (gconstpointer values);

/* A copy of the values of @settings with the real setting @name times @factor, for callbacks of the
 * base; g_free. NULL: there is no such setting, or the base refuses it so. */
gpointer assay_mutant_scaled (const AssayDefense *base, const AssaySettings *settings,
                              const char *name, double factor);
