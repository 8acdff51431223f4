/* What a formula may hold. */
#include "runner/store/formula.h"

#include <string.h>

/* In the order of witness-head.py; test-formula holds them against it. */
static const char *const names[] = {
  /* of Python and NumPy */
  "any",
  "array",
  "axis",
  "def",
  "for",
  "full",
  "get",
  "in",
  "int",
  "len",
  "max",
  "numpy",
  "return",
  "uint64",
  "zeros",
  /* what formulas call their values */
  "atoms",
  "cell",
  "centre",
  "edges",
  "event",
  "k",
  "one",
  "score",
  "scores",
  "total",
  "y",
  /* of witness-head.py, and what its functions call what they are given */
  "bits_of",
  "key",
  "failed",
  "row_hash",
  "listed",
  "find_cells",
  "standardise",
  "whole",
  "tail",
  "residue",
  "digit",
  "modulus",
  "fraction",
  "low_bits_of_float",
  "power",
  "keys_of",
  "extreme",
  "compared",
  "permutation",
  "neighbours",
  "column_finite",
  "row_finite",
  "low_bits",
  "number_class",
  "bit_residue",
  "reached",
  "column",
  "other",
  "place",
  "scale",
  "which",
};

static gboolean
is_name (const char *word, gsize length)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strlen (names[i]) == length && memcmp (names[i], word, length) == 0)
      return TRUE;
  return FALSE;
}

/* "12", "1.5", "1e+300", and the start of "-1.5e-07" behind its sign: bytes of it. */
static gsize
length_of_number (const char *text)
{
  gsize n = strspn (text, "0123456789");

  if (text[n] == '.')
    n += 1 + strspn (text + n + 1, "0123456789");
  if (text[n] == 'e') {
    const gsize sign = strspn (text + n + 1, "+-") > 0 ? 1 : 0;
    const gsize digits = strspn (text + n + 1 + sign, "0123456789");

    n += digits > 0 ? 1 + sign + digits : 0;
  }
  return n;
}

gboolean
assay_formula_is_plain (const char *python)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  const char *at = python;

  while (*at != '\0') {
    gsize length = 1;

    if (g_ascii_isdigit (*at)) {
      length = length_of_number (at);
      /* "1if" and "0x1": what stands at a number is no part of it. */
      if (g_ascii_isalpha (at[length]) || at[length] == '_')
        return FALSE;
    } else if (g_ascii_isalpha (*at) || *at == '_') {
      length = strspn (at, letters);
      if (!is_name (at, length))
        return FALSE;
    } else if (strchr ("()[]{}<>=!:,.+-*&|^ \n", *at) == NULL || strncmp (at, "**", 2) == 0
               || strncmp (at, "<<", 2) == 0) {
      return FALSE; /* powers and shifts make numbers that fill the memory */
    }
    at += length;
  }
  return TRUE;
}
