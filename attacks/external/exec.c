/* Another program as the attack: `command = python3 my_attack.py`.
 *
 * Source: Assay; the folder and its formats stand in core/external/exec-folder.h and
 * core/data/exchange.h. The program is given release/, public.npy, database.npy and groups.npy
 * where they were granted, and nothing else, and writes guess/ with what its game asks for:
 *   reconstruct  `estimates` (n x d), or `codes` for a release of codes
 *   link         `candidates` (n x k): public rows for each released item, the best first
 *   pair         `pairs` (p x 2) of items and their `scores` (p), higher where they are likelier to
 *                share a secret; of mixtures alone, of which it is known
 *   infer        `class-scores` (n x k): which value an attribute has; where it is no label also
 *                `attribute` and `threshold` (core/games/guesses/infer.h)
 *   member       `member-scores`: higher, the more likely each of records.npy was released
 *   cross        `cross-scores` (n x m): higher, the more likely an item of release/ and one of
 *                crossed/ are of one secret
 * With the grant `mechanism`, or pairs = FOLDER, it has pairs/ to learn from: rows of its own
 * beside what the defense makes of them; in the games member and cross shadows/ in place of that
 * (see below). Labels and hash function are in the release where they were granted. Where it is
 * confined (setting `confine`) it can write nowhere else and has no network, but nothing keeps a
 * program from reading elsewhere on the disk.
 *
 * It is handed the whole release at once. What was released of other secrets, a built-in attack
 * without the grant other-releases keeps from using; of an unknown program nobody can know, so that
 * this attack needs that grant.
 *
 * A program that knows its control can answer it, and zeros elsewhere. In a run the control is
 * therefore like a cell (exec-likeness.h), and whether it comes before or after the cell is drawn.
 * Where none can be made of a release, what the program does not find upholds nothing. The control
 * is then, as in `assay selftest`, which has no cells, a small one: of link and pair that of
 * exec-control.h, of reconstruct eight secrets that are rows of the public set of 64, released as
 * they are, as vectors or as random planes through them (setting `control`, for programs that read
 * subspaces alone). Rows are normal in 16 dimensions, where the nearest other public row is almost
 * never closer than half the secret's length (squares: 2 chi^2_16 against chi^2_16). An estimate
 * within a quarter of it has found the secret, and one that shrinks or is a little noisy still
 * wins. A program that loses even this proves nothing by losing elsewhere; there is no setting that
 * spares it.
 */
#include "attacks/adaptive/cross-runs.h"
#include "attacks/adaptive/member-runs.h"
#include "attacks/external/exec-control.h"
#include "attacks/external/exec-likeness.h"
#include "attacks/lifting/subspace-control.h"
#include "core/external/exec-folder.h"
#include "core/plugin/callbacks.h"
#include "core/plugin/plugin.h"

enum { CONTROL_VECTORS, CONTROL_SUBSPACES, CONTROL_MIXTURES };

static const char *const control_kinds[] = { "vectors", "subspaces", "mixtures", NULL };
static const char *const games[]
    = { "reconstruct", "link", "pair", "infer", "member", "cross", NULL };

typedef struct {
  AssayExec exec;
  guint control;
  guint game;
  bool draws;
} Exec;

/* ---- What programs of the games member and cross learn from ---- */

/* Runs of the defense in the folder shadows/, run R as shadows/R, a release. Rows are chosen as
 * membership and cross-linkage choose them (attacks/adaptive), so that they share runs. Where the
 * program may not run the defense, nothing is written. */

/* Each record is in half of the runs, and the runs of both halves of them. */
#define RUNS_TOGETHER 4

static gboolean
write_run (AssayExecFolder *folder, gsize run, const AssayOwnRelease *own, GError **error)
{
  g_autofree char *name = g_strdup_printf ("shadows/%zu", run);

  return assay_exec_folder_add_release (folder, name, own->release, error);
}

static AssayArray *
members_of (const MemberRuns *runs)
{
  const gsize shape[] = { runs->n_runs, runs->n_records };
  gint64 *is_in = g_new (gint64, shape[0] * shape[1]);

  for (gsize i = 0; i < shape[0] * shape[1]; i++)
    is_in[i] = runs->is_in[i];
  return assay_array_take (ASSAY_INT64, 2, shape, is_in);
}

/* member: half of the records are in each run, and the other half in the next; members.npy (int64
 * runs x records) has 1 where a record was in it. The number of runs is a multiple of 4. */
static gboolean
exec_shadows_of_records (AssayExecFolder *folder, const AssayObservation *seen, GError **error)
{
  const gsize n_runs
      = seen->shadow != NULL
            ? (gsize) (assay_shadow_left (seen->shadow) / RUNS_TOGETHER * RUNS_TOGETHER)
            : 0;
  g_auto (MemberRuns) runs = { 0 };
  g_autoptr (AssayArray) members = NULL;

  if (n_runs == 0)
    return TRUE;
  if (!member_runs_init (&runs, seen, n_runs, error))
    return FALSE;
  members = members_of (&runs);
  for (gsize r = 0; r < n_runs; r++) {
    g_autoptr (AssayOwnRelease) own = member_runs_play (&runs, runs.is_in, r, error);

    if (own == NULL || !write_run (folder, r, own, error))
      return FALSE;
  }
  return assay_exec_folder_add_array (folder, "members", members, error);
}

/* cross: runs 2 k and 2 k + 1 are of the same public rows in the same order, with keys of their
 * own. */
static gboolean
exec_shadows_of_keys (AssayExecFolder *folder, const AssayObservation *seen, GError **error)
{
  g_autoptr (GPtrArray) runs = NULL;

  if (seen->shadow == NULL || seen->public_rows == NULL || assay_shadow_left (seen->shadow) < 2)
    return TRUE;
  runs = cross_runs_make (seen, error);
  for (guint r = 0; runs != NULL && r < runs->len; r++)
    if (!write_run (folder, r, runs->pdata[r], error))
      return FALSE;
  return runs != NULL;
}

/* ---- The attack ---- */

static AssayGame
plays (gconstpointer data)
{
  static const AssayGame all[]
      = { ASSAY_GAME_RECONSTRUCT, ASSAY_GAME_LINK,   ASSAY_GAME_PAIR,
          ASSAY_GAME_INFER,       ASSAY_GAME_MEMBER, ASSAY_GAME_CROSS };
  const Exec *settings = data;

  return all[settings->game];
}

/* Of an unknown program nobody can know, unless its author says so. */
ASSAY_OF_SETTINGS (gboolean, draws, Exec, settings->draws)

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Exec *settings = data;

  if (settings->control == CONTROL_MIXTURES && plays (settings) == ASSAY_GAME_RECONSTRUCT)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "control = mixtures is one of the game link; expected vectors or subspaces "
                       "with game = reconstruct");
  return assay_exec_check (&settings->exec, error);
}

static void
locate (gpointer data, const char *folder)
{
  Exec *settings = data;

  assay_exec_locate (&settings->exec, folder);
}

ASSAY_OF_SETTINGS (GPtrArray *, files, Exec, assay_exec_files (&settings->exec))

ASSAY_OF_SETTINGS (char *, confinement, Exec,
                   assay_confine_describe ((AssayConfine) settings->exec.confine))

/* The program's own, and the rows that it may be given: a copy, and those of its control. */
static guint64
memory (gconstpointer data, const AssayShape *shape)
{
  const Exec *settings = data;

  return ((guint64) settings->exec.memory_limit << 20)
         + (guint64) (2 * shape->n_public + 2 * shape->n_database) * shape->cols * sizeof (float);
}

static guint
granted (const AssayObservation *seen)
{
  return (seen->database != NULL ? ASSAY_GRANT_DATABASE : 0)
         | (seen->public_rows != NULL ? ASSAY_GRANT_PUBLIC : 0)
         | (seen->groups != NULL ? ASSAY_GRANT_GROUPS : 0)
         | (seen->other_releases != NULL ? ASSAY_GRANT_OTHER_RELEASES : 0)
         | (seen->release->parameters.is_withheld ? ASSAY_GRANT_NO_PARAMETERS : 0)
         | (seen->shadow != NULL ? ASSAY_GRANT_MECHANISM : 0)
         | (seen->shadow != NULL && assay_shadow_has_key (seen->shadow) ? ASSAY_GRANT_KEY : 0)
         | assay_release_holds (seen->release);
}

/* What only one game has. */
static gboolean
add_of_game (AssayExecFolder *folder, AssayGame game, const AssayObservation *seen, GError **error)
{
  if (game == ASSAY_GAME_MEMBER)
    return assay_exec_folder_add_rows (folder, "records", seen->records, error)
           && exec_shadows_of_records (folder, seen, error);
  if (game == ASSAY_GAME_CROSS && seen->crossed != NULL)
    return assay_exec_folder_add_release (folder, "crossed", seen->crossed, error)
           && exec_shadows_of_keys (folder, seen, error);
  return TRUE;
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Exec *settings = context->settings;
  const gsize n = assay_release_count (seen->release);
  /* Of all secrets together the release does not say how many secrets there are. */
  const gint64 *groups
      = assay_kind (seen->release->kind)->items != ASSAY_ITEM_OF_ALL_SECRETS ? seen->groups : NULL;
  /* One that draws nothing has no use for a seed that differs from cell to cell, by which it could
   * win its control and lose elsewhere. */
  const AssayStreamKey stream = settings->draws ? context->stream : (AssayStreamKey){ 0 };
  const AssayExecRequest request = { .role = "attack",
                                     .stream = stream,
                                     .n = n,
                                     .cols = assay_release_cols (seen->release),
                                     .geometry = &seen->release->geometry,
                                     .kind = seen->release->kind,
                                     .grants = granted (seen),
                                     .game = games[settings->game],
                                     .attribute_names = plays (settings) == ASSAY_GAME_INFER
                                                            ? seen->attribute_names
                                                            : NULL };
  g_autoptr (AssayExecFolder) folder = assay_exec_folder_new (&request, &settings->exec, error);
  g_autoptr (AssayGuess) made = NULL;

  if (folder == NULL || !assay_exec_folder_add_release (folder, "release", seen->release, error)
      || !assay_exec_folder_add_rows (folder, "database", seen->database, error)
      || !assay_exec_folder_add_rows (folder, "public", seen->public_rows, error)
      || !assay_exec_folder_add_numbers (folder, "groups", groups, n, error)
      || !assay_exec_folder_add_pairs (folder, seen->pairs, error)
      || !add_of_game (folder, plays (settings), seen, error))
    return FALSE;
  made = assay_exec_folder_run_attack (folder, error);
  if (made == NULL)
    return FALSE;
  assay_guess_take_answer (ret_guess, made);
  return TRUE;
}

/* ---- Control ---- */

static gboolean
make_reconstruct_control (const Exec *settings, AssayStreamKey key, AssayControlCase *ret_case,
                          GError **error)
{
  const SubspaceControl control = { .n_secrets = 8,
                                    .n_public = 64,
                                    .cols = 16,
                                    .dimension = settings->control == CONTROL_VECTORS ? 0 : 2 };

  return subspace_control_make (&control, key, ret_case, error);
}

static gboolean
make_control (gconstpointer data, AssayStreamKey key, AssayControlCase *ret_case, GError **error)
{
  static const AssayReleaseKind released[] = { [CONTROL_VECTORS] = ASSAY_RELEASE_VECTORS,
                                               [CONTROL_SUBSPACES] = ASSAY_RELEASE_SUBSPACES,
                                               [CONTROL_MIXTURES] = ASSAY_RELEASE_MIXTURES };
  const Exec *settings = data;

  switch (plays (settings)) {
  case ASSAY_GAME_LINK:
    return exec_control_link (released[settings->control], key, ret_case, error);
  case ASSAY_GAME_PAIR:
    return exec_control_pair (key, ret_case, error);
  case ASSAY_GAME_INFER:
    return exec_control_infer (key, ret_case, error);
  case ASSAY_GAME_MEMBER:
    return exec_control_member (key, ret_case, error);
  case ASSAY_GAME_CROSS:
    return exec_control_cross (key, ret_case, error);
  default:
    return make_reconstruct_control (settings, key, ret_case, error);
  }
}

static gboolean
make_like (gconstpointer settings, AssayStreamKey key, const AssayObservation *seen,
           AssayControlCase *ret_case, GError **error)
{
  return exec_likeness_make (plays (settings), key, seen, ret_case, error);
}

static const AssayExternal external
    = { .locate = locate, .files = files, .confinement = confinement };

ASSAY_ATTACK (exec, "exec",
  .summary = "Another program as the attack, in any language: reads and writes .npy files",
  .reference = { "Assay", "core/external/exec-folder.h" },
  ASSAY_SETTINGS (Exec,
    ASSAY_EXEC_PARAMETERS,
    ASSAY_PARAM_CHOICE (Exec, control, 0, control_kinds,
                        "Kind of release in the control, which releases public rows as they are; "
                        "in the game pair these are always mixtures"),
    ASSAY_PARAM_CHOICE (Exec, game, 0, games,
                        "What its guess holds: estimates of the secrets; candidates, public rows "
                        "for each released item; scores of pairs of items that may share a secret; "
                        "scores of values of an attribute; scores of records that may have been "
                        "released; or scores of items of two releases that may be of one secret",
                        ASSAY_PARAM_EXTRA),
    ASSAY_PARAM_BOOL (Exec, draws, TRUE,
                      "Whether it draws random numbers, so that another seed may give another "
                      "guess; if not, it always gets the same seed",
                      ASSAY_PARAM_EXTRA)),
  .check = check,
  .memory = memory,
  .external = &external,
  .reads = ASSAY_RELEASE_ANY,
  .needs = ASSAY_GRANT_OTHER_RELEASES,
  .wants_pairs = TRUE,
  .game = ASSAY_GAME_RECONSTRUCT,
  .plays = plays,
  .draws = draws,
  .attack = attack,
  .control = { .says = "a public secret that was released as it is, is found; in other games, what "
                       "unchanged rows show is found",
               .make = make_control,
               .at_least = 1,
               .within = 0.25,
               .make_like = make_like });
