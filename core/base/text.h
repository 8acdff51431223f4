/* Small text helpers: exact numbers, the closest spelling, canonical hashes. */
#pragma once

#include <glib.h>

/* The shortest decimal text that reads back as exactly @value (0 for -0); whole numbers up to 10^15
 * without an exponent. @value must be finite. */
char *assay_text_number (double value);

/* "34.3 %" of 0.343: four digits, and more where these would say that a share is all. */
char *assay_text_percent (double share);

/* Of the NULL-terminated @candidates the one nearest to @word by edit distance, of equally near
 * ones that of which letters are left out; or NULL when none is near enough to be a likely
 * misspelling (distance at most a third of the longer word). */
const char *assay_text_closest (const char *word, const char *const *candidates);

/* " (did you mean 'x'?)" or "", for the end of an error message. Never NULL. */
char *assay_text_did_you_mean (const char *word, const char *const *candidates);
/* The same of @names, to which a NULL is added. */
char *assay_names_hint (GPtrArray *names, const char *word);
gboolean assay_names_have (const GPtrArray *names, const char *name);
/* Adds @taken, or frees it and is FALSE where @names have it. */
gboolean assay_names_take (GPtrArray *names, char *taken);

/* What to write in place of a value that is none, where it is easily told what was meant: a list
 * with commas or brackets, a percentage or a decimal comma (not @is_whole), a comment behind a
 * value. "" or " (...)". */
const char *assay_text_value_hint (const char *text, gboolean is_whole);

/* Parses the whole of @text as a finite double or as an integer. FALSE leaves @ret untouched. */
gboolean assay_text_to_double (const char *text, double *ret_value);
gboolean assay_text_to_int (const char *text, gint64 *ret_value);

/* Bytes from "4096", "512K", "64MiB" or "1.5 GiB": powers of 1024. FALSE leaves @ret untouched. */
gboolean assay_text_to_bytes (const char *text, guint64 *ret_bytes);

/* "1,234,567" and "1.5 GiB" for people. */
char *assay_text_count (guint64 count);
char *assay_text_bytes (guint64 bytes);

/* Whether @c may stand in a terminal, a page or a message, whoever wrote it: no control character;
 * no mark, override or isolate of the direction of writing, which would reorder what stands beside
 * it; nothing without a shape, in which words could be hidden from the eye and shown to a program
 * (blanks of no width, fillers, tags, the selectors of variants but two); no separator of lines,
 * and nothing that is no character.
 *
 * Marks that writing cannot do without are shown: the joiners U+200C and U+200D (Persian, Indic
 * scripts, emoji), the selectors of text or picture U+FE0E and U+FE0F, Mongolian's own, and the
 * Arabic signs above numbers, which are "format characters" by name but have a shape. What is lost:
 * a soft hyphen is a blank, rare variants of Chinese characters are the usual ones, flags of parts
 * of countries are black, and mixed text whose order hung on a mark is in the order of its letters
 * (those of Hebrew and Arabic themselves run to the left, as they must). */
gboolean assay_text_is_shown (gunichar c);

/* @text, which is UTF-8, with a space in place of each character that is not, and one within what a
 * CI system would take for a command where it finds it in a log: "::error::" at the start of a
 * word, "##[add-mask]", "##vso[" anywhere. _lines: of each line; broken UTF-8 is made valid. */
char *assay_text_plain (const char *text);
char *assay_text_plain_lines (const char *text);
/* Whether @text is UTF-8 of nothing but characters that are shown and ends of lines. */
gboolean assay_text_is_plain (const char *text);

/* Of arrays of strings, bytewise: for qsort and g_ptr_array_sort. */
int assay_compare_strings (gconstpointer a, gconstpointer b);
