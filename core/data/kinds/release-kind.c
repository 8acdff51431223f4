/* The table of kinds of release. */
#include "core/data/kinds/release-kind.h"

#define DECLARED(NAME, name, text) extern const AssayKind assay_kind_##name;
#define ADDRESS(NAME, name, text) &assay_kind_##name,
#define TEXT(NAME, name, text) text,

ASSAY_RELEASE_KINDS (DECLARED)

static const AssayKind *const kinds[] = { ASSAY_RELEASE_KINDS (ADDRESS) };
const char *const assay_release_kinds[] = { ASSAY_RELEASE_KINDS (TEXT) NULL };

const AssayKind *
assay_kind (AssayReleaseKind kind)
{
  const gint number = g_bit_nth_lsf (kind, -1);

  return number >= 0 && number < ASSAY_N_KINDS && (guint) kind == 1u << number ? kinds[number]
                                                                               : NULL;
}

guint
assay_kinds_of_items (AssayItems items)
{
  guint set = 0;

  for (guint i = 0; i < ASSAY_N_KINDS; i++)
    set |= kinds[i]->items == items ? 1u << i : 0;
  return set;
}

static guint64
size_of (const AssayKind *kind, char letter, const AssayShape *shape)
{
  const gboolean is_of_all = kind->items == ASSAY_ITEM_OF_ALL_SECRETS;

  switch (letter) {
  case 'n':
    return is_of_all ? 1 : shape->n_secrets;
  case 'N':
    return MAX (shape->n_released, shape->n_secrets);
  case 'd':
    return is_of_all ? shape->n_outputs : shape->cols;
  case 'p':
    return is_of_all ? shape->n_outputs : 1;
  case 'P':
    return MAX (shape->n_outputs, 1);
  case 'm':
    return shape->dimension;
  case 'c':
    return shape->n_classes;
  default:
    return MAX (shape->n_members, 1);
  }
}

guint64
assay_kind_bytes (const AssayKind *kind, const AssayShape *shape)
{
  const AssayArraySpec *const lists[] = { kind->arrays, kind->truth };
  guint64 bytes = 0;

  for (gsize l = 0; l < G_N_ELEMENTS (lists); l++)
    for (const AssayArraySpec *spec = lists[l]; spec != NULL && spec->name != NULL; spec++) {
      guint64 of_array = assay_type_size (spec->type);

      for (const char *letter = spec->dimensions; *letter != '\0'; letter++)
        of_array *= size_of (kind, *letter, shape);
      bytes += of_array;
    }
  return bytes;
}

const char *
assay_release_kind_name (AssayReleaseKind kind)
{
  return assay_kind (kind) != NULL ? assay_release_kinds[g_bit_nth_lsf (kind, -1)] : "none";
}

AssayReleaseKind
assay_release_kind_from_name (const char *name)
{
  for (guint i = 0; i < ASSAY_N_KINDS; i++)
    if (g_str_equal (assay_release_kinds[i], name))
      return (AssayReleaseKind) (1u << i);
  return ASSAY_RELEASE_NONE;
}

char *
assay_release_kinds_describe (guint set)
{
  GString *text = g_string_new (NULL);
  guint left = 0;

  for (guint i = 0; i < ASSAY_N_KINDS; i++)
    left += (set >> i) & 1;
  for (guint i = 0; i < ASSAY_N_KINDS; i++)
    if (set & (1u << i)) {
      left--;
      g_string_append_printf (text, "%s%s", assay_release_kinds[i],
                              left > 1    ? ", "
                              : left == 1 ? " or "
                                          : "");
    }
  return g_string_free (text, FALSE);
}
