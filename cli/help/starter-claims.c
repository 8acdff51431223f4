/* The claims of a scenario to begin with: one for each measure, on all attacks that it is of, as
 * the strongest counts. */
#include "cli/help/starter-claims.h"

#include <string.h>

#include "core/base/each.h"

#define RECOVERY "recovery-rate"
#define IDENTITY "identification-rate"

/* What is bounded, and by how much in an example. */
typedef struct {
  const char *name;
  const char *bound;
} Measure;

static const Measure of_games[] = {
  [ASSAY_GAME_LINK] = { "partner-hit-at-1", "0.10" },
  [ASSAY_GAME_PAIR] = { "pair-auc", "0.60" },
  [ASSAY_GAME_INFER] = { "attribute-excess", "0.10" },
  [ASSAY_GAME_MEMBER] = { "member-auc", "0.55" },
  [ASSAY_GAME_CROSS] = { "linkability", "0.10" },
  [ASSAY_GAME_EDGE] = { "edge-gain", "0.02" },
};

/* Of what attacks on model updates find: weights of users, or which samples there are. */
static const struct {
  const char *array;
  Measure measure;
} of_updates[] = {
  { "weight-claims", { "weight-claims-right", "0.10" } },
  { "support-scores", { "support-auc", "0.60" } },
  { "support-overlaps", { "overlap-exact-rate", "0.60" } },
};

static Measure
measure_of_updates (const AssayAttack *attack)
{
  for (const AssayArraySpec *spec = attack->writes; spec != NULL && spec->name != NULL; spec++)
    for (guint i = 0; i < G_N_ELEMENTS (of_updates); i++)
      if (g_str_equal (spec->name, of_updates[i].array))
        return of_updates[i].measure;
  return (Measure){ "sample-recovery-rate", "0.10" };
}

/* Of an attack or an auditor. */
static Measure
measure_of (AssayReleaseKind kind, const AssayPlugin *plugin)
{
  const AssayAttack *attack = assay_attack_of (plugin);

  if (attack == NULL)
    return (Measure){ "epsilon", "claimed" };
  if (attack->game != ASSAY_GAME_RECONSTRUCT)
    return of_games[attack->game];
  if (kind == ASSAY_RELEASE_MIXTURES)
    return (Measure){ "image-ssim", "0.30" };
  if (kind == ASSAY_RELEASE_UPDATES && !attack->adapts)
    return measure_of_updates (attack);
  /* Who learns estimates rows, from codes too. */
  if (kind == ASSAY_RELEASE_CODES && !attack->adapts
      && !(attack->needs & ASSAY_GRANT_HASH_FUNCTION))
    return (Measure){ "bits-recovered", "0.60" };
  return (Measure){ RECOVERY, "0.10" };
}

static gboolean
has_measure (AssayReleaseKind kind, const AssayPlugin *plugin, const char *measure)
{
  return g_str_equal (measure_of (kind, plugin).name, measure);
}

/* Whether one of the attacks before number @end has the claim about @measure already: a claim is
 * judged on all of them, as the strongest counts. */
static gboolean
is_bounded (AssayReleaseKind kind, const GPtrArray *attacks, guint end, const char *measure)
{
  for (guint i = 0; i < end; i++)
    if (has_measure (kind, attacks->pdata[i], measure))
      return TRUE;
  return FALSE;
}

/* Whether there is a claim about identification: beside that about recovery. */
static gboolean
asks_identity (const CliClaims *claims)
{
  return claims->asks_identity
         && is_bounded (claims->kind, claims->attacks, claims->attacks->len, RECOVERY);
}

/* Whether one of them that is measured by it learns from runs of the defense. */
static gboolean
is_learned (AssayReleaseKind kind, const GPtrArray *attacks, const char *measure)
{
  ASSAY_FOR_EACH (const AssayPlugin, plugin, attacks) {
    const AssayAttack *attack = assay_attack_of (plugin);

    if (attack != NULL && attack->adapts && has_measure (kind, plugin, measure))
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

      if (attack == NULL)
        continue;
      if (!has_measure (kind, plugin, measure)) {
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

/* The claim about @measure, or about @another in its place, on the attacks that have @measure. */
static void
append_claim_on (GString *text, const CliClaims *claims, Measure measure, const char *another)
{
  append_claim (text, claims, another != NULL ? another : measure.name, measure.bound);
  append_selection (text, claims->kind, claims->attacks, measure.name);
  if (is_learned (claims->kind, claims->attacks, measure.name))
    g_string_append (text, "attackers = adaptive\n");
}

/* Measures for which bounds were given and that no claim is about: asked of all attacks that
 * are measured so. */
static void
append_further (GString *text, const CliClaims *claims)
{
  for (guint i = 0; claims->bounds != NULL && claims->bounds[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (claims->bounds[i], "=", 2);

    if (is_bounded (claims->kind, claims->attacks, claims->attacks->len, pair[0])
        || (asks_identity (claims) && g_str_equal (pair[0], IDENTITY)))
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
    const Measure measure = measure_of (kind, attacks->pdata[i]);

    if (is_bounded (kind, attacks, i, measure.name))
      continue;
    if (i > 0)
      g_string_append_c (text, '\n');
    append_claim_on (text, claims, measure, NULL);
    if (!asks_identity (claims) || !g_str_equal (measure.name, RECOVERY))
      continue;
    g_string_append_c (text, '\n');
    append_claim_on (text, claims, measure, IDENTITY);
  }
  append_further (text, claims);
}
