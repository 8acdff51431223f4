#include "defenses/codes/label-groups.h"

#include "core/data/formats/label-sets.h"

ASSAY_CLEAR_FUNC (LabelGroups, label_groups_clear, g_free (self->of_rows), g_free (self->members))

gboolean
label_groups_share (const LabelGroups *groups, gsize a, gsize b)
{
  if (groups->sets == NULL)
    return a == b;
  return assay_label_sets_meet (groups->sets + groups->members[a] * groups->words,
                                groups->sets + groups->members[b] * groups->words, groups->words);
}

gboolean
hash_row_has (const HashTraining *training, gsize row, gsize label)
{
  if (training->label_sets == NULL)
    return training->labels[row] == (gint64) label;
  return assay_label_set_has (training->label_sets + row * training->label_words,
                              training->label_words, label);
}

/* Numbers sets in the order in which they come. */
static void
number_sets (const HashTraining *training, const gsize *rows, gsize count, LabelGroups *groups)
{
  const gsize size = groups->words * sizeof (gint64);
  g_autoptr (GHashTable) known
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);

  for (gsize i = 0; i < count; i++) {
    const gsize row = rows != NULL ? rows[i] : i;
    GBytes *set = g_bytes_new_static (training->label_sets + row * groups->words, size);
    gpointer number;

    if (g_hash_table_lookup_extended (known, set, NULL, &number)) {
      g_bytes_unref (set);
    } else {
      number = GSIZE_TO_POINTER (groups->n);
      g_hash_table_insert (known, set, number);
      groups->members[groups->n++] = row;
    }
    groups->of_rows[i] = (gint64) GPOINTER_TO_SIZE (number);
  }
}

gboolean
label_groups_find (const HashTraining *training, const gsize *rows, gsize count,
                   LabelGroups *ret_groups, GError **error)
{
  g_auto (LabelGroups) groups = { .sets = training->label_sets, .words = training->label_words };

  groups.of_rows = assay_alloc (count, sizeof (gint64), "labels", error);
  groups.members = assay_alloc (count, sizeof (gsize), "labels", error);
  if (groups.of_rows == NULL || groups.members == NULL)
    return FALSE;
  if (training->label_sets != NULL) {
    number_sets (training, rows, count, &groups);
  } else {
    groups.n = training->n_classes;
    for (gsize i = 0; i < count; i++)
      groups.of_rows[i] = training->labels[rows != NULL ? rows[i] : i];
  }
  *ret_groups = groups;
  groups = (LabelGroups){ 0 };
  return TRUE;
}
