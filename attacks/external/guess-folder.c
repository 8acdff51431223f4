/* An external guess, which was made outside Assay: `folder = mine/guess`.
 *
 * Source: Assay; the folder is one of core/data/exchange.h (guess.json and .npy files). The guess
 * is of the release that it is played against, item by item: a scenario with several defenses or
 * trials needs a folder for each (folder = guesses/{defense}/{trial}).
 *
 * It has no control. Whoever made it cannot be asked to win a case of known outcome, so that its
 * silence proves nothing: what it recovered is measured and may violate a claim, and no claim is
 * upheld by what it did not recover (runner/judge/judge.c). */
#include "core/external/external-folder.h"
#include "core/plugin/plugin.h"
#include "core/plugin/registry.h"

static const char *const games[] = { "estimates",    "candidates",    "pairs",
                                    "class-scores", "member-scores", NULL };

typedef struct {
  char *folder;
  guint holds;
} Folder;

static AssayGame
game (gconstpointer data)
{
  static const AssayGame all[] = { ASSAY_GAME_RECONSTRUCT, ASSAY_GAME_LINK, ASSAY_GAME_PAIR,
                                   ASSAY_GAME_INFER, ASSAY_GAME_MEMBER };
  const Folder *settings = data;

  return all[settings->holds];
}

static AssayGuess *
read_guess (const Folder *settings, const AssayRunPosition *position, GError **error)
{
  g_autofree char *path = assay_external_folder_find (settings->folder, position, error);

  return path != NULL ? assay_guess_read (path, assay_registry_guess_arrays (), error) : NULL;
}

static char *
verify (gconstpointer data, const AssayRunPosition *position, G_GNUC_UNUSED const AssayShape *shape,
        GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (AssayGuess) guess = read_guess (data, position, error);

  if (guess == NULL)
    return NULL;
  assay_external_hash (checksum, guess->is_unordered ? "guess, unordered" : "guess",
                       &guess->arrays);
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const Folder *settings = context->settings;
  g_autoptr (AssayGuess) made = NULL;

  if (game (settings) == ASSAY_GAME_LINK && seen->public_rows == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "candidates are numbers of public rows; expected grants = public");
  made = read_guess (settings, &context->position, error);
  if (made == NULL)
    return FALSE;
  assay_guess_take_answer (ret_guess, made);
  return TRUE;
}

static const AssayExternal external = { .verify = verify };

ASSAY_ATTACK (guess_folder, "guess-folder",
  .summary = "An external guess, read from a folder of .npy files",
  .reference = { "Assay", "core/data/exchange.h" },
  ASSAY_SETTINGS (Folder,
    ASSAY_PARAM_STRING (Folder, folder, NULL,
                        "The guess folder; {trial} stands for a number from 0, {defense} for the "
                        "name of the defense in the tables"),
    ASSAY_PARAM_CHOICE (Folder, holds, 0, games,
                        "What it holds: estimates (or codes) of the secrets, candidates for every "
                        "released item, pairs with scores, class-scores of an attribute of every "
                        "secret, or member-scores of records")),
  .reads = ASSAY_RELEASE_ANY,
  .game = ASSAY_GAME_RECONSTRUCT,
  .attack = attack,
  .control = { .says = "none: an external guess is judged only by what it recovered" },
  .external = &external,
  .plays = game);
