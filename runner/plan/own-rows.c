/* What an attacker learns from. */
#include "runner/plan/own-rows.h"

#include "core/base/text.h"
#include "core/external/external-folder.h"
#include "runner/plan/fit.h"

#define DEFAULT_RUNS 20
#define DEFAULT_ROWS 10000
#define DEFAULT_SECONDS 600.0
#define MAX_RUNS 1000000
#define MAX_ROWS 100000000
#define MAX_SECONDS 1e6

const char *const assay_own_rows_keys[]
    = { "pairs", "known_rows", "mechanism_runs", "mechanism_rows", "mechanism_time", NULL };

/* ---- Keys ---- */

static gboolean
read_seconds (const AssayGroup *group, double *inout_seconds, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "mechanism_time");
  char *end = NULL;
  double seconds;

  if (entry == NULL)
    return TRUE;
  seconds = g_ascii_strtod (entry->value, &end);
  if (end == entry->value || *end != '\0' || !(seconds > 0 && seconds <= MAX_SECONDS))
    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "mechanism_time = '%s': expected seconds, above 0 to %g", entry->value,
                             MAX_SECONDS);
  *inout_seconds = seconds;
  return TRUE;
}

/* What an attack learns pairs from, or nothing; not two of it. */
static gboolean
check_pairs (const AssayGroup *group, const AssayPlugin *plugin, GError **error)
{
  const AssayAttack *attack = assay_attack_of (plugin);
  const AssayEntry *known = assay_group_find (group, "known_rows");
  const AssayEntry *pairs = assay_param_exists (plugin->parameters, "pairs")
                                ? NULL
                                : assay_group_find (group, "pairs");
  const AssayEntry *either = known != NULL ? known : pairs;

  if (either != NULL && (attack == NULL || !attack->wants_pairs))
    return assay_group_fail (group, either, error, ASSAY_ERROR_SCENARIO,
                             "attack '%s' learns from no pairs", plugin->id);
  return known == NULL || pairs == NULL
         || assay_group_fail (group, known, error, ASSAY_ERROR_SCENARIO,
                              "known_rows: there are pairs = %s already; expected one of the two",
                              pairs->value);
}

/* Keys that are about what was not granted would be silent. */
static gboolean
check_keys (const AssayGroup *group, const AssayPlugin *plugin, guint grants, GError **error)
{
  for (const char *const *key = assay_own_rows_keys + 2; *key != NULL; key++) {
    const AssayEntry *entry = assay_group_find (group, *key);

    if (entry != NULL && !(grants & ASSAY_GRANT_MECHANISM))
      return assay_group_fail (
          group, entry, error, ASSAY_ERROR_SCENARIO,
          "%s: the attacker may not run the defense; expected grants = public; "
          "mechanism",
          *key);
  }
  return check_pairs (group, plugin, error);
}

gboolean
assay_own_rows_parse (const AssayGroup *group, const AssayPlugin *plugin, guint grants,
                      AssayOwnTerms *ret_terms, GError **error)
{
  gint64 runs = DEFAULT_RUNS, rows = DEFAULT_ROWS, known = 0;
  AssayOwnTerms terms = { .seconds = DEFAULT_SECONDS };

  if (!check_keys (group, plugin, grants, error)
      || !assay_group_integer (group, "mechanism_runs", 1, MAX_RUNS, &runs, error)
      || !assay_group_integer (group, "known_rows", 2, MAX_ROWS, &known, error)
      || !assay_group_integer (group, "mechanism_rows", 2, MAX_ROWS, &rows, error)
      || !read_seconds (group, &terms.seconds, error)
      || (!assay_param_exists (plugin->parameters, "pairs")
          && !assay_group_text (group, "pairs", &terms.pairs, error)))
    return FALSE;
  if (runs == 1 && !(grants & ASSAY_GRANT_KEY)) {
    g_free (terms.pairs);
    return assay_group_fail (group, assay_group_find (group, "mechanism_runs"), error,
                             ASSAY_ERROR_PARAMETER,
                             "mechanism_runs = 1: every run draws a key of its own, and what was "
                             "learned of one is tried on another; expected 2 or more, or the grant "
                             "'key'");
  }
  terms.runs = (guint64) runs;
  terms.rows = (gsize) rows;
  terms.known = (gsize) known;
  *ret_terms = terms;
  return TRUE;
}

ASSAY_CLEAR_FUNC (AssayOwnTerms, assay_own_terms_clear, assay_drop (self->pairs, g_free))

AssayOwnTerms
assay_own_terms_copy (const AssayOwnTerms *terms)
{
  AssayOwnTerms copy = *terms;

  copy.pairs = g_strdup (terms->pairs);
  return copy;
}

char *
assay_own_terms_canonical (const AssayOwnTerms *terms, guint grants)
{
  GString *text = g_string_new (NULL);
  g_autofree char *seconds = assay_text_number (terms->seconds);

  if (grants & ASSAY_GRANT_MECHANISM)
    g_string_append_printf (text, "mechanism=%" G_GUINT64_FORMAT " runs, %zu rows, %s s\n",
                            terms->runs, terms->rows, seconds);
  if (terms->pairs != NULL)
    g_string_append_printf (text, "pairs=%s\n", terms->pairs);
  if (terms->known > 0)
    g_string_append_printf (text, "known_rows=%zu\n", terms->known);
  return g_string_free (text, FALSE);
}

/* ---- Folders ---- */

AssayPairs *
assay_own_rows_read (const AssayComponent *attack, const AssayRunPosition *position, GError **error)
{
  AssayRunPosition first = *position;
  g_autofree char *path = NULL;
  AssayPairs *pairs;

  first.repeat = 0;
  path = assay_external_folder_find (attack->own.pairs, &first, error);
  pairs = path != NULL ? assay_pairs_read (path, error) : NULL;
  if (pairs == NULL)
    g_prefix_error (error, "pairs: ");
  return pairs;
}

static void
hash_pairs (const AssayPairs *pairs, GChecksum *checksum)
{
  ASSAY_FOR_EACH (const AssayOwnRelease, own, pairs->releases) {
    assay_external_hash (checksum, "release", &own->release->arrays);
    assay_external_hash (checksum, "known", &own->known);
  }
}

static gboolean
verify_one (const AssayPlan *plan, const AssayComponent *attack, const AssayComponent *defense,
            GChecksum *checksum, GError **error)
{
  AssayRunPosition position
      = { .folders = (const char *const *) plan->folders, .defense = defense->name };
  g_autofree char *why_not = assay_fit_why_not (defense, attack);

  for (position.trial = 0; why_not == NULL && position.trial < plan->trials; position.trial++) {
    g_autoptr (AssayPairs) pairs = assay_own_rows_read (attack, &position, error);

    if (pairs == NULL)
      return FALSE;
    hash_pairs (pairs, checksum);
  }
  return TRUE;
}

gboolean
assay_own_rows_verify (const AssayPlan *plan, GChecksum *checksum, gboolean *ret_are_any,
                       const AssayComponent **ret_component, GError **error)
{
  *ret_are_any = FALSE;
  ASSAY_FOR_EACH (const AssayComponent, attack, plan->attacks) {
    if (attack->own.pairs == NULL)
      continue;
    *ret_are_any = TRUE;
    *ret_component = attack;
    ASSAY_FOR_EACH (const AssayComponent, defense, plan->defenses)
      if (!verify_one (plan, attack, defense, checksum, error))
        return FALSE;
  }
  return TRUE;
}

guint64
assay_own_runs_memory (const AssayComponent *attack, AssayReleaseKind kind, const AssayShape *shape)
{
  const AssayAttack *plugin = assay_attack_of (attack->plugin);
  const guint64 one = assay_kind_bytes (assay_kind (kind), shape);

  if (plugin == NULL || !(attack->grants & ASSAY_GRANT_MECHANISM)
      || !(assay_attack_reads (plugin, attack->settings->values) & kind))
    return 0;
  return attack->own.runs < ASSAY_OWN_RUNS_BYTES / MAX (one, 1) ? attack->own.runs * one
                                                               : ASSAY_OWN_RUNS_BYTES;
}

guint64
assay_own_rows_memory (const AssayComponent *attack, AssayReleaseKind kind, const AssayShape *shape)
{
  const AssayAttack *plugin = assay_attack_of (attack->plugin);
  const gsize rows
      = MIN (attack->own.known > 0 ? attack->own.known : attack->own.rows, shape->n_public);
  AssayShape own = *shape;

  if (plugin == NULL || !assay_attack_wants_pairs (plugin, attack->settings->values)
      || (!(attack->grants & ASSAY_GRANT_MECHANISM) && attack->own.known == 0))
    return 0;
  own.n_secrets = rows;
  own.n_released = shape->n_secrets > 0 ? shape->n_released / shape->n_secrets * rows : 0;
  return assay_kind_bytes (assay_kind (kind), &own);
}
