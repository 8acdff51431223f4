#include "tests/unit/attacks/mixture-game.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

void
mixture_game_clear (MixtureGame *game)
{
  assay_control_case_clear (&game->made);
  assay_guess_free (game->guess);
}

gboolean
mixture_game_try (const AssayAttack *attack, const char *assignments, gboolean with_groups,
                  MixtureGame *game, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (9, 0, "attack", "") };
  const AssayObservation seen = { .release = game->made.release,
                                  .public_rows = game->made.public_rows,
                                  .groups = with_groups ? game->made.groups : NULL };

  g_clear_pointer (&game->guess, assay_guess_free);
  game->guess = assay_guess_new ();
  return assay_attack_run (attack, &context, &seen, game->guess, error);
}

void
mixture_game_play (const AssayAttack *attack, const char *assignments, gboolean with_groups,
                   MixtureGame *game)
{
  g_autoptr (GError) error = NULL;

  cr_assert (mixture_game_try (attack, assignments, with_groups, game, &error), "%s %s: %s",
             attack->id, assignments, error->message);
}

void
mixture_game_make (const MixtureControl *control, guint64 seed, MixtureGame *game)
{
  cr_assert (
      mixture_control_make (control, assay_stream_key (seed, 0, "case", ""), &game->made, NULL));
  cr_assert (assay_release_check (game->made.release, NULL)
             && assay_truth_check (game->made.truth, NULL));
}

const AssayArray *
mixture_game_array (const AssayArrays *arrays, const char *name)
{
  const AssayArray *array = assay_arrays_get (arrays, name);

  cr_assert (array != NULL, "%s", name);
  return array;
}

/* Ranks, from 1, of all partners of all items. */
static double *
ranks_of (const MixtureGame *game, gsize *ret_n)
{
  const AssayArray *candidates = mixture_game_array (&game->guess->arrays, "candidates");
  const AssayArray *partners = mixture_game_array (&game->made.truth->arrays, "partners");
  const gsize n = partners->shape[0], p = partners->shape[1], c = candidates->shape[1];
  double *ranks = g_new0 (double, n *p);

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < p; j++)
      for (gsize k = 0; k < c; k++)
        if (assay_array_int64 (candidates)[i * c + k] == assay_array_int64 (partners)[i * p + j])
          ranks[i * p + j] = (double) k + 1;
  *ret_n = n * p;
  return ranks;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
mixture_game_median_rank (const MixtureGame *game)
{
  gsize n;
  g_autofree double *ranks = ranks_of (game, &n);

  qsort (ranks, n, sizeof *ranks, compare_doubles);
  return 0.5 * (ranks[(n - 1) / 2] + ranks[n / 2]);
}

double
mixture_game_mean_rank (const MixtureGame *game)
{
  gsize n;
  g_autofree double *ranks = ranks_of (game, &n);
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += ranks[i] / (double) n;
  return sum;
}
