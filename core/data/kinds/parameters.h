/* Public parameters of a release: what everybody may know of how it was made, attackers included,
 * because a defense must not rest on their being secret (Kerckhoffs). Each kind of release declares
 * its own (core/data/kinds/NAME.h), with types and ranges; a release knows any of them. */
#pragma once

#include <glib.h>

#include "core/base/param.h"
#include "core/data/kinds/release-kind.h"

G_BEGIN_DECLS

typedef struct {
  AssaySettings *values; /* NULL: the kind has none */
  guint64 known;         /* bit i: that of entry i of the kind's table */
  gboolean is_withheld;  /* the scenario does not let the attack know them */
} AssayParameters;

/* Pointer to the value of @field, of the field's own type; NULL: the release does not say.
 * @Struct is that of the release's kind. */
#define ASSAY_PARAMETER(release, Struct, field)                                                    \
  ((const __typeof__ (((Struct *) 0)->field) *) assay_parameter_get (&(release)->parameters,       \
                                                                     #field))
/* Lets everybody know it. */
#define ASSAY_SET_PARAMETER(release, Struct, field, value)                                         \
  assay_parameter_set (&(release)->parameters, #field,                                             \
                       &(__typeof__ (((Struct *) 0)->field)){ value })

/* What the macros call: @name is one of the kind's, @value of its type and within its range. */
gconstpointer assay_parameter_get (const AssayParameters *parameters, const char *name);
void assay_parameter_set (AssayParameters *parameters, const char *name, gconstpointer value);

/* For an attack that would go by the parameter @name: ASSAY_ERROR_MISMATCH where the scenario
 * withholds it, naming the setting that says it @instead. What a release does not say for itself is
 * the attack's to suppose. */
gboolean assay_parameter_check (const AssayParameters *parameters, const char *name,
                                const char *instead, GError **error);

/* The place of @name in the kind's table; G_MAXUINT: it has none. */
guint assay_parameter_find (const AssayParameters *parameters, const char *name);

void assay_parameters_init (AssayParameters *parameters, const AssayKind *kind);
void assay_parameters_clear (AssayParameters *parameters);
void assay_parameters_copy (AssayParameters *parameters, const AssayParameters *from);

G_END_DECLS
