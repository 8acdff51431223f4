/* A defense with its settings, to be changed. */
#include "core/games/mutants/mutant.h"

#include <string.h>

/* What stands in front of the values: enough for any alignment. */
#define IN_FRONT 64

AssayMutant *
assay_mutant_new (const AssayDefense *base, const AssaySettings *settings)
{
  AssayMutant *mutant = g_new0 (AssayMutant, 1);
  char *block = g_malloc0 (IN_FRONT + settings->size);

  memcpy (block, &mutant, sizeof mutant);
  memcpy (block + IN_FRONT, settings->values, settings->size);
  mutant->defense = *base;
  mutant->base = base;
  mutant->settings = *settings;
  mutant->settings.values = block + IN_FRONT;
  return mutant;
}

void
assay_mutant_free (AssayMutant *mutant)
{
  if (mutant == NULL)
    return;
  if (mutant->free_own != NULL)
    mutant->free_own (mutant->own);
  g_free ((char *) mutant->settings.values - IN_FRONT);
  g_free (mutant);
}

AssayMutant *
assay_mutant_of (gconstpointer values)
{
  AssayMutant *mutant;

  memcpy (&mutant, (const char *) values - IN_FRONT, sizeof mutant);
  return mutant;
}

gpointer
assay_mutant_scaled (const AssayDefense *base, const AssaySettings *settings, const char *name,
                     double factor)
{
  const AssayShape unknown = { 0 };
  const AssayParam *param = assay_param_find (settings->table, name);
  g_autofree char *values = g_memdup2 (settings->values, settings->size);

  if (param == NULL || param->type != ASSAY_PARAM_TYPE_REAL)
    return NULL;
  *(double *) (gpointer) (values + param->offset) *= factor;
  if (base->check != NULL && !base->check (values, &unknown, NULL))
    return NULL;
  return g_steal_pointer (&values);
}
