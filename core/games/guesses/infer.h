/* The game infer: which value has an attribute of each secret that was not released? An attribute
 * is a label, or whether a number of the secret is above a threshold; a guess says which it is of
 * (arrays `attribute` and `threshold`), and has a score for each value. */
#pragma once

#include "core/plugin/attack.h"

typedef enum {
  ASSAY_ATTRIBUTE_LABEL,     /* of the secrets' `labels` */
  ASSAY_ATTRIBUTE_COLUMN,    /* a column of their `attributes` */
  ASSAY_ATTRIBUTE_THRESHOLD, /* 1 where a number of the secret is above the threshold, else 0 */
} AssayAttributeKind;

typedef struct {
  AssayAttributeKind kind;
  gsize column;    /* of `attributes`, or of the secrets */
  float threshold; /* in the form in which secrets are protected (L2-normalised, where they are) */
} AssayAttribute;

/* A guess that says nothing is of the labels. ASSAY_ERROR_MISMATCH for what is no attribute. */
void assay_guess_take_attribute (AssayGuess *guess, const AssayAttribute *attribute);
gboolean assay_guess_attribute (const AssayGuess *guess, AssayAttribute *ret_attribute,
                                GError **error);

/* The attribute's value of each row of @known (a truth, or what an attacker knows of rows of their
 * own), from 0. ASSAY_ERROR_MISMATCH where it has no such labels or columns. */
gint64 *assay_attribute_values (const AssayArrays *known, const AssayAttribute *attribute,
                                gsize *ret_n, GError **error);

/* The value of the largest score of each row; of equal ones the first. */
gint64 *assay_class_choices (AssayView scores);

/* The area under the ROC curve, in the mean over the values that are there, of the score of each
 * against all others; 1/2 of a value without a score. By chance, and of every constant guess, it is
 * 1/2, however often the values are. @ret_outcomes (a number of each row; may be NULL): what each
 * row does to the area, with it as their mean. ASSAY_ERROR_DATA where there is one value only. */
gboolean assay_infer_area (AssayView scores, const gint64 *values, double *ret_area,
                           double *ret_outcomes, GError **error);

/* ---- For the one way in which attacks are called ---- */

gboolean assay_infer_check (const AssayObservation *seen, const AssayGuess *guess, GError **error);
/* By the area: accuracy would be high of a value that nearly all have. */
gboolean assay_infer_judge (const AssayTruth *truth, const AssayGuess *guess,
                            AssayControlOutcome *ret_outcome, GError **error);
