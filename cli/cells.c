/* Cells that are chosen by words. */
#include "cli/cells.h"

#include <string.h>

#include "core/base/error.h"

/* "database against lifting dimension=8", with " on ..." where there are several datasets. */
static char *
cell_name (const AssayPlan *plan, const AssayCell *cell)
{
  const char *dataset = assay_plan_dataset (plan, cell)->name;

  return g_strdup_printf ("%s %s %s%s%s", assay_plan_attack_or_utility (plan, cell)->name,
                          cell->utility != ASSAY_NO_COMPONENT ? "of" : "against",
                          assay_plan_defense (plan, cell)->name, *dataset != '\0' ? " on " : "",
                          dataset);
}

gboolean *
cli_cells_choose (const AssayPlan *plan, const char *words)
{
  g_autofree char *folded = words != NULL ? g_utf8_casefold (words, -1) : NULL;
  g_auto (GStrv) all = folded != NULL ? g_strsplit_set (folded, " \t", -1) : NULL;
  gboolean *wanted = words != NULL ? g_new0 (gboolean, plan->cells->len + 1) : NULL;

  for (gsize i = 0; wanted != NULL && i < plan->cells->len; i++) {
    g_autofree char *name = cell_name (plan, assay_plan_cell (plan, i));
    g_autofree char *plain = g_utf8_casefold (name, -1);

    wanted[i] = TRUE;
    for (guint w = 0; all[w] != NULL; w++)
      wanted[i] = wanted[i] && strstr (plain, all[w]) != NULL;
  }
  return wanted;
}

gboolean
cli_cells_check (const AssayPlan *plan, const char *words, GError **error)
{
  g_autofree gboolean *wanted = NULL;
  g_autofree char *example = NULL;

  if (words == NULL)
    return TRUE;
  if (!g_utf8_validate (words, -1, NULL))
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "--cells: expected words in UTF-8");
  wanted = cli_cells_choose (plan, words);
  for (gsize i = 0; i < plan->cells->len; i++)
    if (wanted[i])
      return TRUE;
  example = plan->cells->len > 0 ? cell_name (plan, assay_plan_cell (plan, 0)) : g_strdup ("");
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "--cells '%s': no cell of %s has these words; expected words of cells, such "
                     "as '%s'",
                     words, plan->scenario, example);
}
