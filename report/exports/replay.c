/* The command that plays a claim's witness again, as it can be pasted into a shell. */
#include <string.h>

#include "report/exports/exports.h"

/* Names that are words of a shell as they are stay so. */
static char *
quote (const char *word)
{
  const gsize plain = strspn (word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_./=+-");

  return *word != '\0' && *word != '-' && word[plain] == '\0' ? g_strdup (word)
                                                              : g_shell_quote (word);
}

char *
assay_report_replay (const AssayResults *results, const AssayResultClaim *result, const char *with)
{
  g_autofree char *scenario = quote (results->scenario);
  g_autofree char *id = quote (result->id);

  return g_strdup_printf ("assay run %s%s --witness %s", scenario, with != NULL ? with : "", id);
}
