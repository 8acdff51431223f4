/* The seal on claims. */
#include "runner/store/seal.h"

#include "runner/plan/claim.h"

#define META_CLAIMS "claims"
#define META_ACCEPTED "claims.accepted"

gboolean
assay_seal_set (AssayStore *store, const AssayPlan *plan, GError **error)
{
  g_autofree char *now = assay_claims_canonical (plan);
  g_autofree char *known = NULL;
  gsize n_done = 0;

  if (!assay_store_get (store, META_CLAIMS, &known, error)
      || !assay_store_count_done (store, &n_done, error))
    return FALSE;
  /* A seal that is missing was taken off: what was known when these claims were made is not. */
  if (g_strcmp0 (known, now) == 0 || n_done > 0)
    return TRUE;
  return assay_store_set (store, META_CLAIMS, now, error);
}

gboolean
assay_seal_accept (AssayStore *store, const AssayPlan *plan, GError **error)
{
  g_autofree char *now = assay_claims_canonical (plan);
  AssaySeal seal;

  if (!assay_seal_read (store, plan, &seal, NULL, error))
    return FALSE;
  return seal != ASSAY_SEAL_BROKEN || assay_store_set (store, META_ACCEPTED, now, error);
}

gboolean
assay_seal_read (AssayStore *store, const AssayPlan *plan, AssaySeal *ret_seal,
                 char **ret_text, GError **error)
{
  g_autofree char *now = assay_claims_canonical (plan);
  g_autofree char *sealed = NULL;
  g_autofree char *accepted = NULL;

  if (!assay_store_get (store, META_CLAIMS, &sealed, error)
      || !assay_store_get (store, META_ACCEPTED, &accepted, error))
    return FALSE;
  if (g_strcmp0 (sealed, now) == 0)
    *ret_seal = ASSAY_SEAL_WHOLE;
  else
    *ret_seal = g_strcmp0 (accepted, now) == 0 ? ASSAY_SEAL_ACCEPTED : ASSAY_SEAL_BROKEN;
  if (ret_text != NULL)
    *ret_text = g_steal_pointer (&sealed);
  return TRUE;
}
