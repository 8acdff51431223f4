/* The formula of an event (AssayEvent's `python`), which a witness hands to Python.
 *
 * It comes out of a run store, and a run store may be a stranger's: whoever counts the event again
 * would run the stranger's program. So a formula holds nothing but arithmetic: numbers, brackets,
 * operators, and the names that formulas of Assay are made of, which are those that witness-head.py
 * defines and a few of Python's and NumPy's that compute. No strings, no comments, no other name or
 * attribute, no name with two underscores: what these can say reaches neither files nor modules. */
#pragma once

#include <glib.h>

gboolean assay_formula_is_plain (const char *python);
