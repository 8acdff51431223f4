/* Every plugin that is built in, run: same seed same result, broken input, and its control. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/codes.h"
#include "core/games/control.h"
#include "core/games/guesses/edge.h"
#include "core/graph/graph.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/core/plugin/plugin-promises.h"
#include "tests/unit/seeds.h"

/* ---- Defenses and attacks: same seed same result, broken input ---- */

enum { SECRETS = 12, SIDE = 4, COLS = SIDE * SIDE, ROWS = 400 };

/* Defaults, but for what so few secrets cannot give (bits, anchors, labelled rows), and for how
 * long networks are trained. */
static AssaySettings *
settings_for (const AssayDefense *defense)
{
  static const struct {
    const char *name, *value;
    guint kinds;
  } changes[] = { { "bits", "6", ASSAY_RELEASE_CODES | ASSAY_RELEASE_PAIRED_CODES },
                  { "anchors", "6", ASSAY_RELEASE_CODES },
                  { "labelled", "6", ASSAY_RELEASE_CODES },
                  { "steps", "40", ASSAY_RELEASE_CODES | ASSAY_RELEASE_PAIRED_CODES } };
  AssaySettings *settings = assay_settings_new (defense->parameters, defense->settings_size);

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    if ((defense->produces & changes[i].kinds) != 0
        && assay_param_exists (defense->parameters, changes[i].name))
      cr_assert (assay_settings_set (settings, changes[i].name, changes[i].value, NULL), "%s",
                 changes[i].name);
  return settings;
}

/* Two triangles that share an edge. */
static const gint64 edges[] = { 0, 1, 0, 2, 1, 2, 1, 3, 2, 3 };

/* As `defense` would in a cell, with labels of two classes for what learns from them, and a graph
 * for what releases one. */
static gboolean
protect_with (const AssayDefense *defense, const AssaySettings *settings, guint64 seed,
              AssayView secrets, AssayRows *database, AssayRelease **ret_release,
              AssayTruth **ret_truth, GError **error)
{
  static const gint64 labels[SECRETS] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
  static const gint64 public_labels[ROWS] = { 0, 1 };
  const guint learning = ASSAY_RELEASE_CODES | ASSAY_RELEASE_UPDATES | ASSAY_RELEASE_PAIRED_CODES
                         | ASSAY_RELEASE_GRADIENTS | ASSAY_RELEASE_NETWORK;
  const guint graphs = ASSAY_RELEASE_GRAPH | ASSAY_RELEASE_PAIRED_CODES;
  const AssayStreamKey key = assay_stream_key (seed, 0, "defense", "");
  g_autoptr (AssayArray) graph = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 5, 2 },
                                                   g_memdup2 (edges, sizeof edges));
  const AssaySecrets known = { .rows = secrets,
                               .geometry = { .height = secrets.cols == COLS ? SIDE : 0,
                                             .width = SIDE,
                                             .channels = 1,
                                             .white = 1 },
                               .labels = defense->produces & learning ? labels : NULL,
                               .edges = defense->produces & graphs ? graph : NULL,
                               .first_cols = defense->produces & graphs ? secrets.cols / 2 : 0,
                               .n_classes = 2 };
  const AssayKnowledge knowledge = { .database = database,
                                     .public_rows = database,
                                     .public_labels = public_labels };

  return assay_step_protect (
      defense,
      &(AssayProtecting){
          .settings = settings, .stream = key, .common = key, .knowledge = &knowledge },
      &known, ret_release, ret_truth, error);
}

/* Secrets of the first form that @defense takes: reals, bits, or one whole number each. */
static AssayMatrix *
secrets_for (const AssayDefense *defense)
{
  g_autoptr (AssaySettings) settings = settings_for (defense);
  AssayMatrix *normal = fixture_normal (SECRETS, COLS, 1);

  for (guint form = 0; form < 3; form++) {
    g_autoptr (AssayMatrix) secrets = assay_matrix_new (SECRETS, form == 2 ? 1 : COLS, NULL);
    g_autoptr (AssayRows) database = fixture_normal_rows (ROWS, secrets->cols, 2);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayTruth) truth = NULL;

    for (gsize i = 0; i < secrets->rows * secrets->cols; i++)
      secrets->data[i] = form == 0   ? normal->data[i]
                         : form == 1 ? (float) (normal->data[i] > 0)
                                     : (float) (i % 8);
    if (!protect_with (defense, settings, 1, assay_matrix_view (secrets), database, &release,
                       &truth, NULL))
      continue;
    assay_matrix_free (normal);
    return g_steal_pointer (&secrets);
  }
  cr_assert_fail ("%s takes none of the forms of secrets", defense->id);
  return normal;
}

static AssaySettings *
defaults (const AssayPlugin *plugin)
{
  return assay_settings_new (plugin->parameters, plugin->settings_size);
}

static gboolean
protect (const AssayDefense *defense, AssayView secrets, guint64 seed, AssayRelease **ret_release,
         AssayTruth **ret_truth, GError **error)
{
  g_autoptr (AssaySettings) settings = settings_for (defense);
  g_autoptr (AssayRows) database = fixture_normal_rows (ROWS, COLS, 2);

  return protect_with (defense, settings, seed, secrets, database, ret_release, ret_truth, error);
}

static gboolean
is_same (const AssayArrays *a, const AssayArrays *b)
{
  for (guint i = 0; i < a->names->len; i++) {
    const AssayArray *x = a->arrays->pdata[i], *y = assay_arrays_get (b, a->names->pdata[i]);

    if (y == NULL || assay_array_count (x) != assay_array_count (y)
        || memcmp (x->data, y->data, assay_array_count (x) * assay_type_size (x->type)) != 0)
      return FALSE;
  }
  return a->names->len == b->names->len;
}

Test (plugins_run, defenses)
{
  for (gsize i = 0; assay_defenses[i] != NULL; i++) {
    const AssayDefense *defense = assay_defenses[i];
    const gboolean is_aggregate
        = (defense->produces & assay_kinds_of_items (ASSAY_ITEM_OF_ALL_SECRETS)) != 0;
    g_autoptr (AssayMatrix) secrets
        = plugin_is_complete (&defense->plugin) ? secrets_for (defense) : NULL;
    const AssayView view = secrets != NULL ? assay_matrix_view (secrets) : (AssayView){ 0 };
    g_autoptr (AssayRelease) first = NULL;
    g_autoptr (AssayRelease) second = NULL;
    g_autoptr (AssayTruth) truth = NULL;
    g_autoptr (AssayTruth) again = NULL;
    g_autoptr (GError) error = NULL;

    if (secrets == NULL)
      continue;
    cr_assert (protect (defense, view, 1, &first, &truth, &error), "%s",
               error != NULL ? error->message : "");
    cr_assert (protect (defense, view, 1, &second, &again, NULL), "%s", defense->id);
    cr_assert (first->kind == defense->produces
                   && assay_release_count (first) == (is_aggregate ? 1 : SECRETS),
               "%s", defense->id);
    cr_assert (is_same (&first->arrays, &second->arrays)
                   && is_same (&truth->arrays, &again->arrays),
               "%s: same seed, other release", defense->id);
    cr_assert_str_eq (first->defense, defense->id);
    /* No row at all (of which only statistics can tell), and a value that is not finite. */
    g_clear_pointer (&second, assay_release_free);
    g_clear_pointer (&again, assay_truth_free);
    cr_assert (is_aggregate
                   || (!protect (defense, assay_view_rows (view, 0, 0), 1, &second, &again, &error)
                       && second == NULL && error != NULL && error->domain == ASSAY_ERROR),
               "%s takes no secrets", defense->id);
    g_clear_error (&error);
    for (gsize b = 0; b < 3; b++) {
      static const float bad[] = { NAN, INFINITY, -INFINITY };
      const float kept = secrets->data[7];

      secrets->data[7] = bad[b];
      cr_assert (!protect (defense, view, 1, &second, &again, &error) && second == NULL,
                 "%s takes %g", defense->id, (double) bad[b]);
      cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC), "%s: %s", defense->id,
                 error->message);
      g_clear_error (&error);
      secrets->data[7] = kept;
    }
  }
}

/* Defaults, but for how many seeds of generators are tried. */
static AssaySettings *
settings_of_attack (const AssayAttack *attack)
{
  AssaySettings *settings = defaults (&attack->plugin);

  if (assay_param_exists (attack->parameters, "seeds"))
    cr_assert (assay_settings_set (settings, "seeds", "64", NULL));
  return settings;
}

/* With @rows as all rows that can be granted; the release is its own repeat, if there are any. */
static gboolean
attack_once (const AssayAttack *attack, const AssayRelease *release, AssayRows *rows,
             AssayGuess **ret_guess, GError **error)
{
  static const gint64 groups[SECRETS] = { 0 };
  g_autoptr (AssaySettings) settings = settings_of_attack (attack);
  const AssayKnowledge knowledge = { .database = rows, .public_rows = rows };
  g_autoptr (GPtrArray) repeats = g_ptr_array_new ();
  const guint wants = attack->needs & ASSAY_GRANT_HASH_FUNCTION ? ASSAY_GRANT_PUBLIC : 0;
  const AssayGranted granted = { .grants = attack->needs | wants,
                                 .release = release,
                                 .knowledge = &knowledge,
                                 .groups = groups,
                                 .repeats = repeats };

  if (assay_rows_count (rows) > 0)
    g_ptr_array_add (repeats, (gpointer) release);
  return assay_step_attack (attack, settings, assay_stream_key (1, 0, "attack", ""), &granted,
                            ret_guess, error);
}

/* The release of each defense, made once: many attacks read it. */
static const AssayRelease *
release_of (gsize d)
{
  static AssayRelease *made[256];

  cr_assert (d < G_N_ELEMENTS (made));
  if (made[d] == NULL) {
    g_autoptr (AssayMatrix) secrets = secrets_for (assay_defenses[d]);
    g_autoptr (AssayTruth) truth = NULL;

    cr_assert (
        protect (assay_defenses[d], assay_matrix_view (secrets), 1, &made[d], &truth, NULL));
  }
  return made[d];
}

/* Against every defense whose release it reads; each attack must read some. */
Test (plugins_run, attacks)
{
  for (gsize a = 0; assay_attacks[a] != NULL; a++) {
    const AssayAttack *attack = assay_attacks[a];
    guint n_read = attack->game != ASSAY_GAME_RECONSTRUCT;

    /* What learns from runs of the defense is played by tests of its own, and in whole runs. */
    if (!plugin_is_complete (&attack->plugin) || (attack->needs & ASSAY_GRANT_MECHANISM))
      continue;
    for (gsize d = 0; assay_defenses[d] != NULL; d++) {
      const AssayRelease *release;
      g_autoptr (AssayGuess) first = NULL;
      g_autoptr (AssayGuess) second = NULL;
      g_autoptr (AssayGuess) none = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayRows) rows = NULL;
      g_autoptr (AssayRows) empty = NULL;

      if (attack->game != ASSAY_GAME_RECONSTRUCT || !(attack->reads & assay_defenses[d]->produces)
          || !plugin_is_complete (&assay_defenses[d]->plugin))
        continue;
      release = release_of (d);
      rows = fixture_normal_rows (ROWS, assay_release_cols (release), 2);
      empty = assay_rows_new (assay_release_cols (release));
      /* A release of the kind may lack what the attack reads: messages in clear. */
      if (!attack_once (attack, release, rows, &first, &error)) {
        cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MISMATCH), "%s: %s",
                   attack->id, error->message);
        continue;
      }
      n_read++;
      cr_assert (attack_once (attack, release, rows, &second, NULL), "%s", attack->id);
      cr_assert (is_same (&first->arrays, &second->arrays), "%s: same seed, other guess",
                 attack->id);
      /* What it needs may stand in the release. */
      if ((attack->needs
           & ~(ASSAY_GRANT_AGGREGATOR | ASSAY_GRANT_MESSAGES | ASSAY_GRANT_USER
               | ASSAY_GRANT_MODEL))
          == 0)
        continue;
      cr_assert (!attack_once (attack, release, empty, &none, &error) && none == NULL,
                 "%s wins with nothing", attack->id);
      cr_assert (error->domain == ASSAY_ERROR, "%s", attack->id);
    }
    cr_assert (n_read > 0, "%s reads nothing that a defense makes", attack->id);
  }
}

/* ---- Controls ---- */

/* Deliberately broken: guesses zeros, the first public row, the first value, and that all pairs and
 * records are alike. */
static gboolean
guess_zeros (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
             GError **error)
{
  enum { MOST = 100 }; /* items whose pairs are named */
  const gsize n = assay_release_count (seen->release), m = MIN (n, MOST), p = m * (m - 1) / 2;
  const gsize bytes = assay_code_bytes (seen->release->bits);
  AssayMatrix *zeros = assay_matrix_new (n, assay_release_cols (seen->release), error);
  gint64 *pairs = g_new0 (gint64, 2 * p), *next = pairs;

  (void) context;
  for (gsize i = 0; i < m; i++)
    for (gsize j = i + 1; j < m; j++) {
      *next++ = (gint64) i;
      *next++ = (gint64) j;
    }
  if (bytes > 0 && zeros->cols == 0)
    assay_arrays_take (
        &ret_guess->arrays, "codes",
        assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ n, bytes }, g_new0 (guint8, n * bytes)));
  if (zeros->cols > 0)
    assay_arrays_take (&ret_guess->arrays, "estimates", assay_array_take_matrix (zeros));
  else
    assay_matrix_free (zeros);
  assay_arrays_take (
      &ret_guess->arrays, "candidates",
      assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, 1 }, g_new0 (gint64, n)));
  if (p > 0) {
    assay_arrays_take (&ret_guess->arrays, "pairs",
                       assay_array_take (ASSAY_INT64, 2, (const gsize[]){ p, 2 }, pairs));
    assay_arrays_take (&ret_guess->arrays, "scores",
                       assay_array_take (ASSAY_FLOAT32, 1, &p, g_new0 (float, p)));
  }
  assay_arrays_take_rows (&ret_guess->arrays, "class-scores", ASSAY_FLOAT32, n, 2,
                          g_new0 (float, 2 * n));
  if (seen->records != NULL) {
    const gsize r = assay_rows_count (seen->records);

    assay_arrays_take (&ret_guess->arrays, "member-scores",
                       assay_array_take (ASSAY_FLOAT32, 1, &r, g_new0 (float, r)));
  }
  if (seen->crossed != NULL) {
    const gsize m = assay_release_count (seen->crossed);

    assay_arrays_take_rows (&ret_guess->arrays, "cross-scores", ASSAY_FLOAT32, n, m,
                            g_new0 (float, n * m));
  }
  if (seen->release->kind & (ASSAY_RELEASE_GRAPH | ASSAY_RELEASE_PAIRED_CODES)) {
    const gsize pairs_of_all = assay_pair_count (assay_edge_count_nodes (seen->release));

    assay_arrays_take (
        &ret_guess->arrays, "edge-scores",
        assay_array_take (ASSAY_FLOAT32, 1, &pairs_of_all, g_new0 (float, pairs_of_all)));
  }
  return TRUE;
}

/* Deliberately broken: an event that never happens. */
static gsize
count_nothing (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs,
               gsize count)
{
  (void) event;
  (void) oracle;
  (void) outputs;
  (void) count;
  return 0;
}

static AssayEvent *
choose_nothing (const AssayAuditContext *context, const AssayOracle *oracle, GError **error)
{
  AssayEvent *event = g_new0 (AssayEvent, 1);

  (void) context, (void) oracle, (void) error;
  event->runs = 1000;
  event->says = g_strdup ("nothing");
  event->count = count_nothing;
  return event;
}

/* Deliberately broken: every canary is as likely in as out. */
static gboolean
score_alike (const AssayAuditContext *context, const AssayOneRun *seen, double *ret_scores,
             GError **error)
{
  (void) context;
  (void) error;
  for (gsize i = 0; i < seen->canaries.rows; i++)
    ret_scores[i] = 0;
  return TRUE;
}

Test (plugins_run, controls_are_won_by_the_attack_and_lost_by_a_broken_one)
{
  for (gsize i = 0; assay_attacks[i] != NULL; i++) {
    AssayAttack whole = *assay_attacks[i], broken = whole;
    g_autoptr (AssaySettings) settings = defaults (&broken.plugin);

    const gboolean has_area
        = whole.game == ASSAY_GAME_PAIR || whole.game == ASSAY_GAME_MEMBER
          || whole.game == ASSAY_GAME_CROSS || whole.game == ASSAY_GAME_EDGE
          || whole.game == ASSAY_GAME_INFER;

    if (whole.control.make == NULL)
      continue;
    /* In place of a program: the released numbers as they are. */
    if (!plugin_is_complete (&whole.plugin))
      whole.attack
          = ((const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "verbatim", NULL))
                ->attack;
    cr_assert (plugin_is_text (broken.control.says) && broken.control.at_least >= 0.5
                   && broken.control.within < 1,
               "%s", broken.id);
    broken.attack = guess_zeros;
    for (guint64 seed = 0; seed < test_seeds (1); seed++) {
      AssayControlOutcome outcome, again;
      g_autoptr (GError) error = NULL;

      cr_assert (assay_control_run (&whole, settings, seed, &outcome, &error), "%s",
                 error != NULL ? error->message : "");
      cr_assert (outcome.is_won && outcome.n > 0, "%s, seed %d: recovered %g of %zu", broken.id,
                 (int) seed, outcome.share, outcome.n);
      if (seed >= 2 || test_is_brief ())
        continue;
      cr_assert (seed > 0 || test_seeds (1) < 2
                     || (assay_control_run (&whole, settings, seed, &again, NULL)
                         && again.share == outcome.share),
                 "%s, seed %d: another outcome", broken.id, (int) seed);
      /* The first public row may be a partner, but never for half of what the control asks for;
       * equal scores have an area of 1/2. */
      cr_assert (
          assay_control_run (&broken, settings, seed, &outcome, NULL) && !outcome.is_won
              && (broken.game == ASSAY_GAME_LINK
                  || fabs (outcome.share - (has_area ? 0.5 : 0)) < 1e-12)
              && (has_area || outcome.share < broken.control.at_least / 2),
          "%s, seed %d: zeros win", broken.id, (int) seed);
    }
  }
}

Test (plugins_run, controls_are_won_by_the_auditor_and_lost_by_a_broken_one)
{
  for (gsize i = 0; assay_auditors[i] != NULL; i++) {
    AssayAuditor broken = *assay_auditors[i];
    g_autoptr (AssaySettings) settings = defaults (&broken.plugin);

    cr_assert (plugin_is_text (broken.control.says) && broken.control.at_least >= 0.5, "%s",
               broken.id);
    broken.choose_event = choose_nothing;
    broken.score_canaries = score_alike;
    for (guint64 seed = 0; seed < test_seeds (1); seed++) {
      AssayControlOutcome outcome, again;
      g_autoptr (GError) error = NULL;

      cr_assert (assay_control_play (&assay_auditors[i]->plugin, settings, seed, &outcome, &error),
                 "%s", error != NULL ? error->message : "");
      cr_assert (outcome.is_won && outcome.n > 0, "%s, seed %d: certified %g of %zu", broken.id,
                 (int) seed, outcome.share, outcome.n);
      if (seed >= 2 || test_is_brief ())
        continue;
      cr_assert (seed > 0 || test_seeds (1) < 2
                     || (assay_control_play (&assay_auditors[i]->plugin, settings, seed, &again,
                                             NULL)
                         && again.share == outcome.share),
                 "%s, seed %d: another outcome", broken.id, (int) seed);
      /* A coin may be certified by chance, but never for half of what the control asks for. */
      cr_assert (assay_control_play (&broken.plugin, settings, seed, &outcome, NULL)
                     && !outcome.is_won
                     && (broken.game == ASSAY_AUDIT_ONE_RUN || outcome.share == 0)
                     && outcome.share < broken.control.at_least / 2,
                 "%s, seed %d: a broken one wins", broken.id, (int) seed);
    }
  }
}
