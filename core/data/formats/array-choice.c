/* One of the arrays that a file holds by name. */
#include "core/data/formats/array-choice.h"

#include "core/base/error.h"
#include "core/base/text.h"

gboolean
assay_array_choose (const GPtrArray *names, const char *wanted, guint *ret_index, GError **error)
{
  g_autofree const char **ended = g_new0 (const char *, names->len + 1);
  g_autofree char *all = NULL;
  g_autofree char *hint = NULL;

  for (guint i = 0; i < names->len; i++) {
    ended[i] = names->pdata[i];
    if (wanted == NULL ? names->len == 1 : g_str_equal (ended[i], wanted)) {
      *ret_index = i;
      return TRUE;
    }
  }
  if (names->len == 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "holds no array");
  all = g_strjoinv (", ", (char **) ended);
  if (wanted == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "holds %u arrays (%s): choose one, as in FILE[%s]",
                       names->len, all, ended[0]);
  hint = assay_text_did_you_mean (wanted, ended);
  return assay_fail (error, ASSAY_ERROR_DATA, "has no array '%s'%s; it holds %s", wanted, hint,
                     all);
}
