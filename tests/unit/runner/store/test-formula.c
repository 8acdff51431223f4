/* Formulas of events, which come out of run stores and are handed to Python. */
#include <criterion/criterion.h>

#include <string.h>

#include "runner/store/formula.h"
#include "runner/witness/witness-files.h"

/* One of each score, as they are printed. */
static const char *const plain[] = {
  "def event(y):\n    k = key(y[:, 0])\n    return ((k >= k) & (k >= numpy.uint64(93)))"
  " | ((k >= k) & (k <= numpy.uint64(2)))\n",
  "def score(y):\n    total = numpy.full(len(y), -1.5e-07)\n    atoms = [1, 2]\n    edges = []\n"
  "    cell = find_cells(y[:, 0], atoms, edges, 1)\n"
  "    total += 0.5 * standardise(y[:, 0], cell, 2, 0.25, 1e+300)\n"
  "    total += numpy.array([1, 0.0])[cell]\n    return total\n\n\n"
  "def event(y):\n    return score(y) >= 2.5\n",
  "    scores = {7: -.5, }\n"
  "    return numpy.array([scores.get(max(int(one), 1), 0.0) for one in row_hash(y)])\n",
  "    total += listed(key(y[:, 3]), {7: 1.5, })\n",
  "    total += numpy.array([1, 2])[digit(y, column=0, which=3)]\n",
  "    total += numpy.array([1, 2])[0 + 1 * (key(y[:, 0]) > numpy.uint64(5))]\n",
  "def event(y):\n    return (key(y) != numpy.array([1, 2], numpy.uint64)).any(axis=1)\n",
};

static const char *const others[] = {
  "import os\n",
  "def event(y):\n    return __import__('os')\n",
  "open(1)",
  "exec(y)",
  "numpy.load(y)",
  "numpy.fromfile(1)",
  "numpy.__dict__",
  "y.tofile(1)",
  "numpy.array.__class__",
  "'a'",
  "\"a\"",
  "# -*- coding: utf-7 -*-\n",
  "key\\\n",
  "9**9**9",
  "1 << 62",
  "y; y",
  "`y`",
  "@key\ndef event(y): y",
  "1if y",
  "1.__class__",
  "0x10",
  "y if y",
  "lambda y: y",
  "\tkey",
  "y\r\n",
  "\xc3\xa9",
  "~y",
};

Test (formula, what_scores_print_is_plain)
{
  cr_assert (assay_formula_is_plain (""));
  for (gsize i = 0; i < G_N_ELEMENTS (plain); i++)
    cr_assert (assay_formula_is_plain (plain[i]), "%s", plain[i]);
}

Test (formula, anything_else_is_not)
{
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    cr_assert_not (assay_formula_is_plain (others[i]), "%s", others[i]);
}

/* A function that comes into the head may be called by formulas. */
Test (formula, knows_every_function_of_the_head)
{
  guint n = 0;

  for (const char *at = assay_witness_head; (at = strstr (at, "\ndef ")) != NULL; n++) {
    g_autofree char *name = NULL;

    at += strlen ("\ndef ");
    name = g_strndup (at, strcspn (at, "("));
    cr_expect (assay_formula_is_plain (name), "%s", name);
  }
  cr_assert_gt (n, 20);
}
