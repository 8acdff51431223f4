/* The game infer. */
#include "core/games/guesses/infer.h"

#include "core/games/guesses/score-roc.h"

void
assay_guess_take_attribute (AssayGuess *guess, const AssayAttribute *attribute)
{
  gint64 *numbers = g_new (gint64, 2);
  float *threshold = g_new (float, 1);

  numbers[0] = attribute->kind;
  numbers[1] = (gint64) attribute->column;
  *threshold = attribute->threshold;
  assay_arrays_take (&guess->arrays, "attribute",
                     assay_array_take (ASSAY_INT64, 1, (const gsize[]){ 2 }, numbers));
  assay_arrays_take (&guess->arrays, "threshold",
                     assay_array_take (ASSAY_FLOAT32, 1, (const gsize[]){ 1 }, threshold));
}

gboolean
assay_guess_attribute (const AssayGuess *guess, AssayAttribute *ret_attribute, GError **error)
{
  const AssayArray *numbers = assay_arrays_get (&guess->arrays, "attribute");
  const AssayArray *threshold = assay_arrays_get (&guess->arrays, "threshold");
  AssayAttribute attribute = { .kind = ASSAY_ATTRIBUTE_LABEL };

  if (numbers != NULL) {
    const gint64 *values = assay_array_int64 (numbers);

    if (numbers->shape[0] != 2 || values[0] < 0 || values[0] > ASSAY_ATTRIBUTE_THRESHOLD
        || values[1] < 0)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "array 'attribute': expected two numbers, what it is (0: label, 1: a "
                         "column of the attributes, 2: a column above the threshold) and the "
                         "column");
    attribute.kind = (AssayAttributeKind) values[0];
    attribute.column = (gsize) values[1];
  }
  if (attribute.kind == ASSAY_ATTRIBUTE_THRESHOLD
      && (threshold == NULL || threshold->shape[0] != 1))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "array 'threshold': expected one number, as the attribute is whether a "
                       "column is above it");
  if (attribute.kind == ASSAY_ATTRIBUTE_THRESHOLD)
    attribute.threshold = assay_array_view (threshold).data[0];
  *ret_attribute = attribute;
  return TRUE;
}

static gint64 *
values_above (const AssayArray *secrets, const AssayAttribute *attribute, GError **error)
{
  const AssayView rows = assay_array_view (secrets);
  gint64 *values;

  if (attribute->column >= rows.cols)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "attribute: column %zu of the secrets; expected one of the %zu, from 0",
                            attribute->column, rows.cols);
  values = assay_alloc (rows.rows, sizeof *values, "attributes", error);
  for (gsize i = 0; values != NULL && i < rows.rows; i++)
    values[i] = assay_view_row (rows, i)[attribute->column] > attribute->threshold;
  return values;
}

/* Column @column of @table (n x q, or n). */
static gint64 *
values_of_column (const AssayArray *table, gsize column, GError **error)
{
  const gsize n = table->shape[0], q = table->n_dimensions > 1 ? table->shape[1] : 1;
  gint64 *values;

  if (column >= q)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "attribute: column %zu of the attributes; expected one of the %zu, "
                            "from 0",
                            column, q);
  values = assay_alloc (n, sizeof *values, "attributes", error);
  for (gsize i = 0; values != NULL && i < n; i++) {
    values[i] = assay_array_int64 (table)[i * q + column];
    if (values[i] < 0) {
      const gint64 value = values[i];

      g_free (values);
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "attribute of row %zu is %" G_GINT64_FORMAT
                              ", expected values from 0",
                              i, value);
    }
  }
  return values;
}

gint64 *
assay_attribute_values (const AssayArrays *known, const AssayAttribute *attribute, gsize *ret_n,
                        GError **error)
{
  const AssayArray *array;
  gint64 *values;

  if (attribute->kind == ASSAY_ATTRIBUTE_THRESHOLD)
    array = assay_arrays_get (known, "secrets");
  else
    array = assay_arrays_get (known,
                              attribute->kind == ASSAY_ATTRIBUTE_LABEL ? "labels" : "attributes");
  if (array == NULL)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH, "attribute: the rows have no %s",
                            attribute->kind == ASSAY_ATTRIBUTE_THRESHOLD ? "numbers"
                            : attribute->kind == ASSAY_ATTRIBUTE_LABEL
                                ? "labels; expected a dataset with labels of secrets and public "
                                  "rows (public_labels)"
                                : "further attributes; expected a dataset with tables of "
                                  "attributes and public_attributes");
  values = attribute->kind == ASSAY_ATTRIBUTE_THRESHOLD
               ? values_above (array, attribute, error)
               : values_of_column (array, attribute->column, error);
  if (values != NULL)
    *ret_n = array->shape[0];
  return values;
}

gint64 *
assay_class_choices (AssayView scores)
{
  gint64 *choices = g_new0 (gint64, scores.rows);

  for (gsize i = 0; i < scores.rows; i++) {
    const float *row = assay_view_row (scores, i);

    for (gsize k = 1; k < scores.cols; k++)
      if (row[k] > row[choices[i]])
        choices[i] = (gint64) k;
  }
  return choices;
}

/* How many rows have each of @n_values values. */
static gsize *
count_values (const gint64 *values, gsize n, gsize n_values, gsize *ret_n_present, GError **error)
{
  gsize *having = assay_alloc (n_values, sizeof (gsize), "values", error);

  *ret_n_present = 0;
  for (gsize i = 0; having != NULL && i < n; i++)
    *ret_n_present += having[values[i]]++ == 0;
  return having;
}

static gsize
find_n_values (AssayView scores, const gint64 *values)
{
  gsize n_values = scores.cols;

  for (gsize i = 0; i < scores.rows; i++)
    n_values = MAX (n_values, (gsize) values[i] + 1);
  return n_values;
}

gboolean
assay_infer_area (AssayView scores, const gint64 *values, double *ret_area, double *ret_outcomes,
                  GError **error)
{
  const gsize n = scores.rows, n_values = find_n_values (scores, values);
  gsize n_present;
  g_autofree gsize *having = count_values (values, n, n_values, &n_present, error);
  g_autofree guint8 *has_value = assay_alloc (n, 1, "values", error);
  g_autofree double *influence = assay_alloc (n, sizeof (double), "values", error);
  double mean = 0;

  if (having == NULL || has_value == NULL || influence == NULL)
    return FALSE;
  if (n_present < 2)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the attribute has one value in all %zu rows; expected two at least", n);
  for (gsize i = 0; ret_outcomes != NULL && i < n; i++)
    ret_outcomes[i] = 0;
  for (gsize k = 0; k < n_values; k++) {
    const gboolean is_scored = k < scores.cols;
    const AssayRoc roc = { scores.data + (is_scored ? k : 0), scores.cols, has_value, n };
    double area = 0.5; /* of a value that the attacker does not know of */

    if (having[k] == 0)
      continue;
    for (gsize i = 0; i < n; i++)
      has_value[i] = values[i] == (gint64) k;
    if (is_scored && !assay_roc_area (&roc, &area, influence, error))
      return FALSE;
    mean += area / (double) n_present;
    for (gsize i = 0; ret_outcomes != NULL && is_scored && i < n; i++)
      ret_outcomes[i] += influence[i] / (double) n_present;
  }
  for (gsize i = 0; ret_outcomes != NULL && i < n; i++)
    ret_outcomes[i] += mean;
  *ret_area = mean;
  return TRUE;
}

gboolean
assay_infer_check (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "class-scores");
  const gsize n = assay_release_count (seen->release);
  AssayAttribute attribute;

  if (assay_kind (seen->release->kind)->items != ASSAY_ITEM_OF_EACH_SECRET)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a release with an item of each secret, found %s",
                       assay_release_kind_name (seen->release->kind));
  if (scores == NULL || scores->shape[0] != n || scores->shape[1] < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected class-scores for each of %zu secrets, of two values or more", n);
  return assay_guess_attribute (guess, &attribute, error);
}

gboolean
assay_infer_judge (const AssayTruth *truth, const AssayGuess *guess,
                   AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayView scores
      = assay_array_view (assay_arrays_get (&guess->arrays, "class-scores"));
  g_autofree gint64 *values = NULL;
  AssayAttribute attribute;
  gsize n;

  if (!assay_guess_attribute (guess, &attribute, error))
    return FALSE;
  values = assay_attribute_values (&truth->arrays, &attribute, &n, error);
  if (values == NULL || !assay_infer_area (scores, values, &ret_outcome->share, NULL, error))
    return FALSE;
  ret_outcome->n = n;
  return TRUE;
}
