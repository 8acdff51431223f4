/* Public parameters of a release. */
#include "core/data/kinds/parameters.h"

#include <string.h>

#include "core/base/error.h"

void
assay_parameters_init (AssayParameters *parameters, const AssayKind *kind)
{
  *parameters = (AssayParameters){ 0 };
  if (kind != NULL && kind->parameters != NULL)
    parameters->values = assay_settings_new (kind->parameters, kind->parameters_size);
}

ASSAY_CLEAR_FUNC (AssayParameters, assay_parameters_clear,
                  assay_drop (self->values, assay_settings_free))

void
assay_parameters_copy (AssayParameters *parameters, const AssayParameters *from)
{
  assay_parameters_clear (parameters);
  *parameters = *from;
  if (from->values != NULL)
    parameters->values = assay_settings_copy (from->values);
}

guint
assay_parameter_find (const AssayParameters *parameters, const char *name)
{
  const AssayParam *table = parameters->values != NULL ? parameters->values->table : NULL;

  for (guint i = 0; table != NULL && table[i].name != NULL; i++)
    if (g_str_equal (table[i].name, name))
      return i;
  return G_MAXUINT;
}

static gpointer
address (const AssayParameters *parameters, guint place)
{
  return (guint8 *) parameters->values->values + parameters->values->table[place].offset;
}

gconstpointer
assay_parameter_get (const AssayParameters *parameters, const char *name)
{
  const guint place = assay_parameter_find (parameters, name);

  g_return_val_if_fail (place != G_MAXUINT, NULL);
  return (parameters->known >> place) & 1 ? address (parameters, place) : NULL;
}

void
assay_parameter_set (AssayParameters *parameters, const char *name, gconstpointer value)
{
  static const gsize sizes[] = { [ASSAY_PARAM_TYPE_BOOL] = sizeof (bool),
                                 [ASSAY_PARAM_TYPE_INT] = sizeof (gint64),
                                 [ASSAY_PARAM_TYPE_REAL] = sizeof (double),
                                 [ASSAY_PARAM_TYPE_CHOICE] = sizeof (guint) };
  const guint place = assay_parameter_find (parameters, name);

  g_return_if_fail (place != G_MAXUINT);
  memcpy (address (parameters, place), value, sizes[parameters->values->table[place].type]);
  parameters->known |= G_GUINT64_CONSTANT (1) << place;
}

gboolean
assay_parameter_check (const AssayParameters *parameters, const char *name, const char *instead,
                       GError **error)
{
  return !parameters->is_withheld
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "the scenario withholds the parameters of the release (no-parameters), and "
                        "the attack goes by '%s'; expected %s",
                        name, instead);
}
