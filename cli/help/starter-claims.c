/* The claims of a scenario to begin with: one for each measure, on all attacks that it is of, as
 * the strongest counts. */
#include "cli/help/starter-claims.h"

#include <string.h>

#include "core/base/each.h"

/* What an attack on model updates finds: samples, weights of users, or which of these there are. */
static const char *
measure_of_updates (const AssayAttack *attack)
{
  for (const AssayArraySpec *spec = attack->writes; spec != NULL && spec->name != NULL; spec++)
    if (g_str_equal (spec->name, "weight-claims"))
      return "weight-claims-right";
    else if (g_str_equal (spec->name, "support-scores"))
      return "support-auc";
    else if (g_str_equal (spec->name, "support-overlaps"))
      return "overlap-exact-rate";
  return "sample-recovery-rate";
}

void
cli_claim_measure (AssayReleaseKind kind, const AssayPlugin *plugin, const char **ret_measure,
                   const char **ret_bound)
{
  const gboolean is_of_codes = kind == ASSAY_RELEASE_CODES;
  gboolean finds_codes;
  const AssayAttack *attack = assay_attack_of (plugin);

  if (attack == NULL) {
    *ret_measure = "epsilon";
    *ret_bound = "claimed";
    return;
  }
  switch (attack->game) {
  case ASSAY_GAME_LINK:
    *ret_measure = "partner-hit-at-1";
    *ret_bound = "0.10";
    return;
  case ASSAY_GAME_PAIR:
    *ret_measure = "pair-auc";
    *ret_bound = "0.60";
    return;
  case ASSAY_GAME_INFER:
    *ret_measure = "attribute-excess";
    *ret_bound = "0.10";
    return;
  case ASSAY_GAME_MEMBER:
    *ret_measure = "member-auc";
    *ret_bound = "0.55";
    return;
  case ASSAY_GAME_CROSS:
    *ret_measure = "linkability";
    *ret_bound = "0.10";
    return;
  case ASSAY_GAME_EDGE:
    *ret_measure = "edge-gain";
    *ret_bound = "0.02";
    return;
  case ASSAY_GAME_RECONSTRUCT:
    break;
  }
  /* Who learns estimates rows, from codes too. */
  finds_codes = is_of_codes && !attack->adapts && !(attack->needs & ASSAY_GRANT_HASH_FUNCTION);
  *ret_measure = kind == ASSAY_RELEASE_MIXTURES                     ? "image-ssim"
                 : kind == ASSAY_RELEASE_UPDATES && !attack->adapts ? measure_of_updates (attack)
                 : finds_codes                                      ? "bits-recovered"
                                                                    : "recovery-rate";
  *ret_bound = g_str_has_suffix (*ret_measure, "recovery-rate")
                       || g_str_equal (*ret_measure, "weight-claims-right")
                   ? "0.10"
               : g_str_equal (*ret_measure, "image-ssim") ? "0.30"
                                                          : "0.60";
}

/* Whether one of the attacks before number @end has the claim about @measure already: a claim is
 * judged on all of them, as the strongest counts. */
static gboolean
is_bounded (AssayReleaseKind kind, const GPtrArray *attacks, guint end, const char *measure)
{
  for (guint i = 0; i < end; i++) {
    const char *other, *bound;

    cli_claim_measure (kind, attacks->pdata[i], &other, &bound);
    if (g_str_equal (other, measure))
      return TRUE;
  }
  return FALSE;
}

/* Whether one of them that is measured by it learns from runs of the defense. */
static gboolean
is_learned (AssayReleaseKind kind, const GPtrArray *attacks, const char *measure)
{
  for (guint i = 0; i < attacks->len; i++) {
    const AssayAttack *attack = assay_attack_of (attacks->pdata[i]);
    const char *other, *bound;

    cli_claim_measure (kind, attacks->pdata[i], &other, &bound);
    if (attack != NULL && attack->adapts && g_str_equal (other, measure))
      return TRUE;
  }
  return FALSE;
}

/* The attacks of a claim, where others of their game are measured by something else. */
static void
append_selection (GString *text, AssayReleaseKind kind, const GPtrArray *attacks,
                  const char *measure)
{
  g_autoptr (GString) labels = g_string_new (NULL);
  guint games = 0;
  gboolean is_needed = FALSE;

  for (guint pass = 0; pass < 2; pass++)
    ASSAY_FOR_EACH (const AssayPlugin, plugin, attacks) {
      const AssayAttack *attack = assay_attack_of (plugin);
      const char *other, *bound;

      if (attack == NULL)
        continue;
      cli_claim_measure (kind, plugin, &other, &bound);
      if (!g_str_equal (other, measure)) {
        is_needed |= pass == 1 && (games & (1u << attack->game));
      } else if (pass == 0) {
        games |= 1u << attack->game;
        g_string_append_printf (labels, "%s%s", labels->len > 0 ? "; " : "", attack->id);
      }
    }
  if (is_needed)
    g_string_append_printf (text, "attack = %s\n", labels->str);
}

/* The bound of @measure among @bounds; NULL: none. */
static const char *
find_bound (const char *const *bounds, const char *measure)
{
  const gsize length = strlen (measure);

  for (guint i = 0; bounds != NULL && bounds[i] != NULL; i++)
    if (strncmp (bounds[i], measure, length) == 0 && bounds[i][length] == '=')
      return bounds[i] + length + 1;
  return NULL;
}

static void
append_claim (GString *text, const CliClaims *claims, const char *measure, const char *bound)
{
  const char *given = find_bound (claims->bounds, measure);
  const char *example = find_bound (claims->examples, measure);

  g_string_append_printf (text, "[claim %s]\nmeasure = %s\ndefense = %s\nat-most = %s\n", measure,
                          measure, claims->defense->id,
                          given != NULL     ? given
                          : example != NULL ? example
                                            : bound);
  if (claims->confidence != NULL)
    g_string_append_printf (text, "confidence = %s\n", claims->confidence);
}

/* Measures for which bounds were given and that no attack has by itself: asked of all attacks that
 * are measured so. */
static void
append_further (GString *text, const CliClaims *claims)
{
  for (guint i = 0; claims->bounds != NULL && claims->bounds[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (claims->bounds[i], "=", 2);

    if (is_bounded (claims->kind, claims->attacks, claims->attacks->len, pair[0]))
      continue;
    g_string_append_c (text, '\n');
    append_claim (text, claims, pair[0], pair[1]);
  }
}

void
cli_append_claims (GString *text, const CliClaims *claims)
{
  const GPtrArray *attacks = claims->attacks;
  const AssayReleaseKind kind = claims->kind;

  for (guint i = 0; i < attacks->len; i++) {
    const char *measure, *bound;

    cli_claim_measure (kind, attacks->pdata[i], &measure, &bound);
    if (is_bounded (kind, attacks, i, measure))
      continue;
    if (i > 0)
      g_string_append_c (text, '\n');
    append_claim (text, claims, measure, bound);
    append_selection (text, kind, attacks, measure);
    if (is_learned (kind, attacks, measure))
      g_string_append (text, "attackers = adaptive\n");
  }
  append_further (text, claims);
}
