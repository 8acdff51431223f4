/* The inputs that a mechanism is for, and which of them it calls neighbours: as a mechanism
 * declares them, so that pairs can be made that its maker did not think of, or did not offer.
 *
 * An input is a dataset of up to `rows` records of `cols` numbers each (one record: a secret). A
 * record that is NaN throughout is not there. Pairs made of a domain go to its extremes, and beyond
 * them: a mechanism that holds for inputs in [lower, upper] has to clamp what is outside, or else
 * one record changes the output as much as it likes. Where neighbours are a distance apart nothing
 * needs to be clamped, and no pair leaves the domain. */
#pragma once

#include "core/base/free.h"
#include "core/base/rng.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_ADJACENCY_NONE, /* not declared */
  ASSAY_ADJACENCY_ANY,
  ASSAY_ADJACENCY_VALUE,   /* one number is another one */
  ASSAY_ADJACENCY_RECORD,  /* one record more or less */
  ASSAY_ADJACENCY_REPLACE, /* one record is another one */
  ASSAY_ADJACENCY_L1,      /* at most `distance` apart */
  ASSAY_ADJACENCY_L2,
  ASSAY_ADJACENCY_LINF, /* every number by at most `distance` */
} AssayAdjacency;

extern const char *const assay_adjacency_names[]; /* by AssayAdjacency, NULL at its end */

typedef struct {
  AssayAdjacency adjacency;
  double distance;
  gsize rows, cols;
  double *lower, *upper; /* of each column; infinite ones for distances alone */
  gboolean is_whole;     /* numbers are whole */
  gboolean is_trusted;   /* inputs outside are not to be tried: who calls it never gives them */
} AssayDomain;

/* Without bounds, for the maker to fill. */
AssayDomain *assay_domain_new (AssayAdjacency adjacency, gsize rows, gsize cols);
ASSAY_DECLARE_FREE (AssayDomain, assay_domain_free)

/* How many pairs are proposed; and pair number @index of rows x cols numbers an input, those beyond
 * the proposed ones drawn from @stream. All of them are neighbours, after rounding to float32. */
guint assay_domain_count_pairs (const AssayDomain *domain);
void assay_domain_pair (const AssayDomain *domain, guint index, AssayStream *stream,
                        float *ret_first, float *ret_second);

/* ---- Pairs of others ---- */

/* The first number of @input that is not in the domain, a record that is not there left out; FALSE:
 * all are. */
gboolean assay_domain_find_outside (const AssayDomain *domain, const float *input, gsize *ret_row,
                                    gsize *ret_col);
/* Why the two inputs are no neighbours ("differ in 3 numbers; expected one"); NULL: they are. */
char *assay_domain_why_not (const AssayDomain *domain, const float *first, const float *second);
/* How far apart they are, as a share of what neighbours may be: 1 as far as possible. */
double assay_domain_share (const AssayDomain *domain, const float *first, const float *second);

/* Both inputs in words: all of their numbers where they are few, otherwise those in which they
 * differ, shortened. */
char *assay_pair_describe (const float *first, const float *second, gsize rows, gsize cols);

G_END_DECLS
