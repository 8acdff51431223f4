/* What is known of a mixture whose public images are removed, against its formulas. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/whitened/removal-panel.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { PUBLICS = 30, D = 8, K = 4, PARTNERS = 2 };

/* A mixture whose images 3 and 7, of the shares .3 and .25, have been found. */
typedef struct {
  AssayMatrix *publics, *mixture;
  ImagePrior prior;
  JointRemoval options;
  Removal job;
  RemovalPanel panel;
} Case;

static void
case_clear (Case *of)
{
  removal_panel_clear (&of->panel);
  image_prior_clear (&of->prior);
  assay_matrix_free (of->publics);
  assay_matrix_free (of->mixture);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static void
case_init (const PrivateParts *known, Case *of)
{
  of->publics = fixture_normal (PUBLICS, D, 1);
  of->mixture = fixture_normal (1, D, 2);
  cr_assert (image_prior_learn (assay_matrix_view (of->publics), &of->prior, NULL));
  of->options = (JointRemoval){
    .k = K, .partners = PARTNERS, .max_coefficient = 0.65, .starts = 1, .known = known
  };
  of->job = (Removal){ .options = &of->options, .prior = &of->prior };
  cr_assert (removal_panel_init (&of->job, &of->panel, NULL));
  mask_signs_open (&of->panel.signs, assay_matrix_view (of->mixture));
  of->panel.now.found[0] = 3;
  of->panel.now.found[1] = 7;
  of->panel.now.shares[0] = 0.3;
  of->panel.now.shares[1] = 0.25;
}

static const float *
image (const Case *of, gsize row)
{
  return of->prior.features + row * D;
}

/* t = 2 (1 - sum w)^2 / (1 + images that are left), and q of those that are found. */
Test (removal_panel, what_found_images_leave)
{
  g_auto (Case) of = { 0 };

  case_init (NULL, &of);
  of.panel.n_found = 2;
  removal_panel_explain (&of.panel, 0);
  assert_near (of.panel.signs.spread[0], 2 * 0.45 * 0.45 / 3, 1e-6, "two found");
  for (gsize a = 0; a < D; a++)
    assert_near ((double) of.panel.signs.known[a],
                 0.3 * (double) image (&of, 3)[a] + 0.25 * (double) image (&of, 7)[a], 1e-6,
                 "number %zu", a);
  of.panel.n_found = 1;
  removal_panel_explain (&of.panel, 0);
  assert_near (of.panel.signs.spread[0], 2 * 0.7 * 0.7 / 4, 1e-6, "one found");
}

/* Private images of the share .5 in all, known but for errors of variance .1. */
Test (removal_panel, what_known_private_images_leave)
{
  static const float features[D] = { 1, -2, 3 };
  static const double share = 0.5, error = 0.1;
  const PrivateParts known = { features, &share, &error };
  g_auto (Case) of = { 0 };

  case_init (&known, &of);
  of.panel.n_found = 2;
  removal_panel_explain (&of.panel, 0);
  assert_near (of.panel.signs.spread[0], 0.1, 1e-6, "two found");
  of.panel.n_found = 1;
  removal_panel_explain (&of.panel, 0);
  assert_near (of.panel.signs.spread[0], 0.1 + 2 * 0.2 * 0.2 / 2, 1e-6, "one found");
  for (gsize a = 0; a < D; a++)
    assert_near ((double) of.panel.signs.known[a],
                 (double) features[a] + 0.3 * (double) image (&of, 3)[a], 1e-6, "number %zu", a);
}

/* Ridge regression of the message on the images that were found, about shares of 1 / k with the
 * deviation .15: at its least, derivatives by the shares are 0. */
Test (removal_panel, shares_are_least_squares)
{
  g_auto (Case) of = { 0 };
  RemovalPanel *panel = &of.panel;
  double before[PARTNERS];

  case_init (NULL, &of);
  panel->n_found = 2;
  removal_panel_explain (panel, 0);
  for (gsize a = 0; a < D; a++)
    panel->signs.features[a]
        = 1.2f * image (&of, 3)[a] + 0.2f * image (&of, 7)[a] + (a % 2 == 0 ? 0.1f : -0.1f);
  panel->signs.ridge = 0.5f;
  panel->signs.added = 0.02f;
  panel->signs.noise[0] = 0.3;
  removal_panel_take_metric (panel, 0);
  for (gsize a = 0; a < D; a++)
    assert_near ((double) panel->metric[a],
                 1 / (2 * 0.45 * 0.45 / 3 * ((double) of.prior.values[a] + 0.5) + 0.02 + 0.3), 1e-5,
                 "number %zu", a);
  memcpy (before, panel->now.shares, sizeof before);
  cr_assert (removal_panel_fit_shares (panel, 0));
  cr_assert (fabs (panel->now.shares[0] - before[0]) > 0.01);
  for (gsize j = 0; j < PARTNERS; j++) {
    const float *found = image (&of, j == 0 ? 3 : 7);
    double slope = (panel->now.shares[j] - 1.0 / K) / (0.15 * 0.15);

    for (gsize a = 0; a < D; a++)
      slope += (double) panel->metric[a] * (double) found[a]
               * (panel->now.shares[0] * (double) image (&of, 3)[a]
                  + panel->now.shares[1] * (double) image (&of, 7)[a]
                  - (double) panel->signs.features[a]);
    assert_near (slope, 0, 1e-3, "share %zu", j);
  }
}
