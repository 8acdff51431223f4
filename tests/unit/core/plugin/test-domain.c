/* Pairs of a declared domain: whatever the adjacency, they are neighbours that differ, reach its
 * bounds and go beyond them where a program should clamp. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/plugin/domain.h"

#define MAX_NUMBERS 64

static AssayDomain *
make_domain (AssayAdjacency adjacency, gsize rows, gsize cols)
{
  AssayDomain *domain = assay_domain_new (adjacency, rows, cols);

  for (gsize j = 0; j < cols; j++) {
    domain->lower[j] = -1 - (double) j;
    domain->upper[j] = 2.1 + (double) j;
  }
  domain->distance = 0.3;
  return domain;
}

static AssayStream
stream_of (guint index)
{
  return assay_stream (assay_stream_key (1, 0, "pairs", "test"), index);
}

static gboolean
is_same (const float *first, const float *second, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (!(first[i] == second[i] || (isnan (first[i]) && isnan (second[i]))))
      return FALSE;
  return TRUE;
}

/* How many inputs of all its pairs are outside, after looking at every pair. */
static guint
check_pairs (const AssayDomain *domain)
{
  const guint count = assay_domain_count_pairs (domain);
  float first[MAX_NUMBERS], second[MAX_NUMBERS];
  guint n_outside = 0;

  for (guint i = 0; i < count + 6; i++) {
    AssayStream stream = stream_of (i);
    gsize row, col;
    g_autofree char *why_not = NULL;

    assay_domain_pair (domain, i, &stream, first, second);
    why_not = assay_domain_why_not (domain, first, second);
    cr_assert (why_not == NULL, "%s, pair %u: the inputs %s",
               assay_adjacency_names[domain->adjacency], i, why_not);
    cr_assert (!is_same (first, second, domain->rows * domain->cols), "%s, pair %u: equal inputs",
               assay_adjacency_names[domain->adjacency], i);
    n_outside += assay_domain_find_outside (domain, first, &row, &col);
    n_outside += assay_domain_find_outside (domain, second, &row, &col);
  }
  return n_outside;
}

Test (domain, pairs_are_neighbours)
{
  static const gsize shapes[][2] = { { 2, 1 }, { 1, 5 }, { 4, 3 }, { 1, 1 } };

  for (guint a = ASSAY_ADJACENCY_ANY; a <= ASSAY_ADJACENCY_LINF; a++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++) {
      g_autoptr (AssayDomain) domain = NULL;
      const gboolean is_distance = a >= ASSAY_ADJACENCY_L1;

      if (a == ASSAY_ADJACENCY_RECORD && shapes[s][0] == 1)
        continue;
      domain = make_domain (a, shapes[s][0], shapes[s][1]);
      cr_assert (assay_domain_count_pairs (domain) >= 6);
      cr_assert (is_distance == (check_pairs (domain) == 0), "%s: clamping",
                 assay_adjacency_names[a]);
      domain->is_trusted = TRUE;
      cr_assert (check_pairs (domain) == 0, "%s: outside, where that is trusted",
                 assay_adjacency_names[a]);
      domain->is_whole = TRUE;
      domain->distance = 2;
      for (gsize j = 0; j < domain->cols; j++)
        domain->upper[j] = 7;
      cr_assert (check_pairs (domain) == 0, "%s: no whole numbers", assay_adjacency_names[a]);
    }
}

Test (domain, extremes_are_reached)
{
  for (guint a = ASSAY_ADJACENCY_ANY; a <= ASSAY_ADJACENCY_REPLACE; a++) {
    g_autoptr (AssayDomain) domain = make_domain (a, 3, 2);
    float first[MAX_NUMBERS], second[MAX_NUMBERS];
    gboolean has_lower = FALSE, has_upper = FALSE, has_beyond = FALSE;

    for (guint i = 0; i < assay_domain_count_pairs (domain); i++) {
      AssayStream stream = stream_of (i);

      assay_domain_pair (domain, i, &stream, first, second);
      for (gsize n = 0; n < 6; n++) {
        has_lower |= first[n] == -1 - (float) (n % 2);
        has_upper |= first[n] == nextafterf (2.1f + (float) (n % 2), 0)
                     || first[n] == 2.1f + (float) (n % 2);
        has_beyond |= fabsf (first[n]) > 1000 || fabsf (second[n]) > 1000;
      }
    }
    cr_assert (has_lower && has_upper && has_beyond, "%s", assay_adjacency_names[a]);
  }
}

/* At the full distance in the norm of the claim, with and without bounds. */
Test (domain, distances_are_used_up)
{
  for (guint a = ASSAY_ADJACENCY_L1; a <= ASSAY_ADJACENCY_LINF; a++)
    for (guint has_bounds = 0; has_bounds < 2; has_bounds++) {
      g_autoptr (AssayDomain) domain
          = has_bounds ? make_domain (a, 1, 4) : assay_domain_new (a, 1, 4);
      float first[4], second[4];

      for (guint i = 0; i < assay_domain_count_pairs (domain); i++) {
        AssayStream stream = stream_of (i);

        assay_domain_pair (domain, i, &stream, first, second);
        cr_assert (assay_domain_share (domain, first, second) <= 1, "pair %u", i);
        /* A random one may have been cut at a bound. */
        cr_assert (assay_domain_share (domain, first, second) > 0.999
                       || (has_bounds && i + 4 >= assay_domain_count_pairs (domain)),
                   "%s, pair %u: %g of the distance", assay_adjacency_names[a], i,
                   assay_domain_share (domain, first, second));
      }
    }
}

Test (domain, what_others_propose)
{
  g_autoptr (AssayDomain) domain = make_domain (ASSAY_ADJACENCY_REPLACE, 2, 2);
  const float zero[] = { 0, 0, 0, 0 }, one[] = { 0, 1, 0, 0 }, both[] = { 0, 1, 1, 0 };
  const float beyond[] = { 0, 0, 0, 9 }, absent[] = { 0, 0, NAN, NAN };
  g_autofree char *fine = assay_domain_why_not (domain, zero, one);
  g_autofree char *two = assay_domain_why_not (domain, zero, both);
  g_autofree char *fewer = assay_domain_why_not (domain, zero, absent);
  g_autofree char *less = NULL;
  gsize row, col;

  cr_assert (fine == NULL);
  cr_assert_str_eq (two, "differ in 2 records; expected one");
  cr_assert_str_eq (fewer, "have another number of records; expected as many");
  cr_assert (assay_domain_find_outside (domain, beyond, &row, &col) && row == 1 && col == 1);
  cr_assert (!assay_domain_find_outside (domain, absent, &row, &col));
  cr_assert_float_eq (assay_domain_share (domain, zero, one), 1 / 5.1, 1e-6);
  domain->adjacency = ASSAY_ADJACENCY_RECORD;
  less = assay_domain_why_not (domain, zero, absent);
  cr_assert (less == NULL);
}

Test (domain, inputs_in_words)
{
  const float first[] = { 0, 1, NAN, NAN }, second[] = { 0, 1, 2.5f, -1 };
  float wide[2][40] = { { 0 } };
  g_autofree char *few = assay_pair_describe (first, second, 2, 2);
  g_autofree char *many = NULL;

  cr_assert_str_eq (few, "(0 1, none) and (0 1, 2.5 -1)");
  for (gsize i = 0; i < 5; i++)
    wide[1][3 + i] = 1;
  many = assay_pair_describe (wide[0], wide[1], 2, 20);
  cr_assert_str_eq (many, "inputs of 2 x 20 numbers that differ in 5; record 0, number 3 is 0 and "
                          "1; record 0, number 4 is 0 and 1; record 0, number 5 is 0 and 1; record "
                          "0, number 6 is 0 and 1; ...");
}
