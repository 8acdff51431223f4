/* Releases of kind vector-sets: in place of each secret a set of rows of a dictionary. */
#include "core/data/kinds/vector-sets.h"

#include <string.h>

#include "core/base/error.h"

static const AssayArraySpec arrays[] = {
  { "sets", "nw", ASSAY_INT64, FALSE, 0 },
  { "dictionary", "kd", ASSAY_FLOAT32, FALSE, 0 },
  { .name = NULL },
};

static const AssayParam parameters[] = {
  ASSAY_PARAM_REAL (AssayVectorSetsParameters, epsilon, 0, 0, 60, "nats",
                    "Privacy budget of one set: its secret's entry is in it exp (epsilon) times as "
                    "often as it would be for another secret, the rest being equal"),
  ASSAY_PARAM_END
};

static gsize
cols (const AssayRelease *release)
{
  return assay_arrays_get (&release->arrays, "dictionary")->shape[1];
}

/* Members are rows of the dictionary, and no row stands in a set twice. */
static gboolean
check_set (const gint64 *members, gsize w, gsize dictionary, gsize secret, GError **error)
{
  for (gsize j = 0; j < w; j++) {
    if (members[j] < 0 || (guint64) members[j] >= dictionary)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "set of secret %zu: member %" G_GINT64_FORMAT
                         " is no row of the dictionary, which has %zu",
                         secret, members[j], dictionary);
    for (gsize k = 0; k < j; k++)
      if (members[k] == members[j])
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "set of secret %zu: member %" G_GINT64_FORMAT " stands in it twice",
                           secret, members[j]);
  }
  return TRUE;
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  const AssayArray *sets = assay_arrays_get (&release->arrays, "sets");
  const gsize dictionary = assay_arrays_get (&release->arrays, "dictionary")->shape[0];
  const gsize w = sets->shape[1];

  for (gsize i = 0; i < sets->shape[0]; i++)
    if (!check_set (assay_array_int64 (sets) + i * w, w, dictionary, i, error))
      return FALSE;
  return TRUE;
}

/* ---- Numbers ----
 *
 * The mean of the members, and for each row of the dictionary whether it is one: a set has no
 * order. Dictionaries too large to be looked at so are seen by the mean alone. */

#define MOST_ENTRIES 2048

static gsize
count_numbers (const AssayRelease *release, G_GNUC_UNUSED gsize n_probes)
{
  const AssayArray *dictionary = assay_arrays_get (&release->arrays, "dictionary");

  return dictionary->shape[1] + (dictionary->shape[0] <= MOST_ENTRIES ? dictionary->shape[0] : 0);
}

static void
numbers (const AssayRelease *release, gsize item, G_GNUC_UNUSED AssayView probes,
         float *ret_numbers)
{
  const AssayArray *sets = assay_arrays_get (&release->arrays, "sets");
  const AssayView dictionary
      = assay_array_view (assay_arrays_get (&release->arrays, "dictionary"));
  const gsize w = sets->shape[1], d = dictionary.cols;
  const gint64 *members = assay_array_int64 (sets) + item * w;

  memset (ret_numbers, 0, count_numbers (release, 0) * sizeof (float));
  for (gsize k = 0; k < w; k++) {
    const float *entry = assay_view_row (dictionary, (gsize) members[k]);

    for (gsize j = 0; j < d; j++)
      ret_numbers[j] += entry[j] / (float) w;
    if (dictionary.rows <= MOST_ENTRIES)
      ret_numbers[d + (gsize) members[k]] = 1;
  }
}

const AssayKind assay_kind_vector_sets = {
  .arrays = arrays,
  .parameters = parameters,
  .parameters_size = sizeof (AssayVectorSetsParameters),
  .items = ASSAY_ITEM_OF_EACH_SECRET,
  .has_rows = TRUE,
  .cols = cols,
  .check = check,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
