/* What is a label, or a number, of the secret that was not released? The attacker runs the defense
 * on rows of their own (grant `mechanism`), or knows pairs of a folder, and learns what a released
 * item says of the attribute (game infer).
 *
 * Release: of a kind with an item for each secret; an item is seen as the numbers of its kind,
 * which do not change where the release only looks different (core/data/kinds/item-numbers.h).
 * Attribute: the label of a row; a further label; or whether a number of the row is above a
 * quantile of the attacker's own rows.
 * Guess: for each secret and value, E [row has the value | item] by the learner that does best on
 * held-out rows of the attacker's own (core/learn/learner.h, least squares on one output a value,
 * that is by the Brier score). Where none is better there than the frequencies of the values, the
 * guess is these frequencies for every secret, and says so. The guess also has them as its `prior`:
 * the baseline that never saw the release.
 * Source: Fredrikson, Jha and Ristenpart 2015, "Model Inversion Attacks that Exploit Confidence
 * Information", for the question; the attack of Giomi et al. 2023 (Anonymeter, section 4.3) learns
 * from released records what this one learns from runs of the defense. */
#include <stdlib.h>
#include <string.h>

#include "attacks/adaptive/own-examples.h"
#include "core/base/text.h"
#include "core/base/vectors.h"
#include "core/games/guesses/infer.h"

#define MAX_VALUES 10000

typedef struct {
  guint learner;
  guint attribute; /* AssayAttributeKind */
  gint64 column;
  double quantile;
  char *name;
} AttributeInference;

static const char *const attributes[] = { "label", "column", "threshold", NULL };

/* ---- The attribute of the attacker's own rows ---- */

static gboolean
check_column (const AssayPairs *pairs, gsize column, GError **error)
{
  const AssayView rows = assay_own_rows (assay_pairs_get (pairs, 0));

  return column < rows.cols
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "column = %zu: expected one of the %zu of a row, from 0", column,
                        rows.cols);
}

/* The quantile of @column among all rows. */
static gboolean
find_threshold (const AssayPairs *pairs, const AttributeInference *settings, float *ret_threshold,
                GError **error)
{
  const gsize n = assay_pairs_count (pairs), column = (gsize) settings->column;
  g_autofree double *numbers = assay_alloc (n, sizeof (double), "a column", error);
  gsize done = 0;

  if (numbers == NULL || !check_column (pairs, column, error))
    return FALSE;
  for (guint r = 0; r < pairs->releases->len; r++) {
    const AssayView rows = assay_own_rows (assay_pairs_get (pairs, r));

    for (gsize i = 0; i < rows.rows; i++)
      numbers[done++] = (double) assay_view_row (rows, i)[column];
  }
  qsort (numbers, n, sizeof *numbers, assay_compare_doubles);
  *ret_threshold = (float) numbers[MIN ((gsize) (settings->quantile * (double) n), n - 1)];
  return TRUE;
}

/* The column of the further attributes that is called @name. */
static gboolean
find_column (const char *const *names, const char *name, gsize *ret_column, GError **error)
{
  g_autofree char *all = NULL;
  g_autofree char *hint = NULL;

  if (names == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "name = %s: the attributes have no names here; expected attribute = column "
                       "and the number of the column",
                       name);
  for (gsize i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], name)) {
      *ret_column = i;
      return TRUE;
    }
  all = g_strjoinv (", ", (char **) names);
  hint = assay_text_did_you_mean (name, (const char **) names);
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "name = %s: there is no such attribute%s; expected one of %s", name, hint,
                     all);
}

/* Values of all rows, release after release, and how many values there are. */
static gint64 *
find_values (const AssayPairs *pairs, const AssayAttribute *attribute, gsize *ret_n_values,
             GError **error)
{
  const gsize n = assay_pairs_count (pairs);
  g_autofree gint64 *values = assay_alloc (n, sizeof *values, "attributes", error);
  gsize done = 0, n_values = 0;

  for (guint r = 0; values != NULL && r < pairs->releases->len; r++) {
    gsize count;
    g_autofree gint64 *own = assay_attribute_values (&assay_pairs_get (pairs, r)->known, attribute,
                                                     &count, error);

    if (own == NULL)
      return assay_prefix (error, "rows to learn from: "), NULL;
    memcpy (values + done, own, count * sizeof *own);
    done += count;
  }
  for (gsize i = 0; i < done; i++) {
    if (values[i] >= MAX_VALUES)
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "attribute of row %zu to learn from is %" G_GINT64_FORMAT
                              "; expected values below %d",
                              i, values[i], MAX_VALUES);
    n_values = MAX (n_values, (gsize) values[i] + 1);
  }
  if (n_values > 2 && 2 * n_values > done)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "the attribute has %zu values in %zu rows to learn from; expected "
                            "categories that people share, two of a value at least",
                            n_values, done);
  *ret_n_values = n_values;
  return g_steal_pointer (&values);
}

/* ---- Learning ---- */

/* One output for each value, 1 where the row has it, in place of the rows themselves; and how
 * frequent each value is. */
static gboolean
take_outputs (OwnExamples *examples, const gint64 *values, gsize n_values, AssayMatrix **ret_prior,
              GError **error)
{
  const gsize n = examples->inputs->rows;
  g_autoptr (AssayMatrix) prior = assay_matrix_new (1, n_values, error);
  g_autofree gsize *counts = g_new0 (gsize, n_values);

  g_clear_pointer (&examples->outputs, assay_matrix_free);
  examples->outputs = assay_matrix_new (n, n_values, error);
  if (examples->outputs == NULL || prior == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    assay_matrix_row (examples->outputs, i)[values[i]] = 1;
    counts[values[i]]++;
  }
  for (gsize k = 0; k < n_values; k++) {
    if (counts[k] == n)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the attribute has the value %zu in all %zu rows to learn from; expected "
                         "two values at least",
                         k, n);
    prior->data[k] = (float) counts[k] / (float) n;
  }
  *ret_prior = g_steal_pointer (&prior);
  return TRUE;
}

static AssayMatrix *
infer (const AttributeInference *settings, const AssayAttackContext *context,
       const AssayObservation *seen, const OwnExamples *examples, AssayGuess *guess, GError **error)
{
  g_autoptr (AssayLearner) learner
      = own_examples_learn (examples, settings->learner, context->stream, error);
  g_autoptr (AssayMatrix) inputs
      = learner != NULL ? own_examples_see (examples, seen->release, error) : NULL;

  if (inputs == NULL)
    return NULL;
  guess->says = assay_learner_describe (learner);
  return assay_learner_predict (learner, assay_matrix_view (inputs), error);
}

static gboolean
attack (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
        GError **error)
{
  const AttributeInference *settings = context->settings;
  AssayAttribute attribute = { .kind = (AssayAttributeKind) settings->attribute,
                               .column = (gsize) settings->column };
  g_auto (OwnExamples) examples = { 0 };
  g_autofree gint64 *values = NULL;
  g_autoptr (AssayMatrix) prior = NULL;
  AssayMatrix *scores;
  float *shares;
  gsize n_values;

  if (*settings->name != '\0') {
    attribute.kind = ASSAY_ATTRIBUTE_COLUMN;
    if (!find_column (seen->attribute_names, settings->name, &attribute.column, error))
      return FALSE;
  }
  if ((attribute.kind == ASSAY_ATTRIBUTE_THRESHOLD
       && !find_threshold (seen->pairs, settings, &attribute.threshold, error))
      || (values = find_values (seen->pairs, &attribute, &n_values, error)) == NULL
      || !own_examples_new (seen->pairs, &examples, error)
      || !take_outputs (&examples, values, n_values, &prior, error))
    return FALSE;
  scores = infer (settings, context, seen, &examples, ret_guess, error);
  if (scores == NULL)
    return FALSE;
  assay_arrays_take_matrix (&ret_guess->arrays, "class-scores", &scores);
  shares = g_memdup2 (prior->data, n_values * sizeof (float));
  assay_arrays_take (&ret_guess->arrays, "prior",
                     assay_array_take (ASSAY_FLOAT32, 1, &n_values, shares));
  assay_guess_take_attribute (ret_guess, &attribute);
  return TRUE;
}

/* ---- The control ----
 *
 * It is judged by the area under the ROC curve, which no constant guess raises, however lopsided
 * the values are. Its limit of 0.9 is far from both of what it is to tell apart:
 *   - by chance the area has the mean 1/2 and the variance (n + 1) / (12 n_0 n_1) (Mann and Whitney
 *     1947): of 400 rows, half of either value, 0.9 is 13 standard deviations above it, and 8 where
 *     a tenth has the value;
 *   - scores that have the correlation rho with the number have the area
 *     1/2 + 2 / pi asin (rho / sqrt 2) (Sheppard's orthant probability), and least squares on the
 *     signs of n rows of d numbers rho^2 = 1 / (1 + (d - 1) (pi / 2 - 1) / n): the area 0.9994.
 *     Nearest neighbours, the weakest learner, reach 0.977 with a standard deviation of 0.008 over
 *     seeds, 9 of which 0.9 is below it (tests/unit/attacks/test-attribute-inference.c; 300 seeds
 *     in the slow tier).
 * A value that few of a hundred have is not learned from 2,000 pairs: with such a quantile the
 * control is lost, as it should be. */

/* Makes the sign of the first number of each row its attribute, whichever that is, and a row one
 * that has only that number, at the place where the settings look. */
static gboolean
give_attribute (AssayArrays *known, const AttributeInference *settings, GError **error)
{
  const AssayView rows = assay_array_view (assay_arrays_get (known, "secrets"));
  const gsize column = (gsize) settings->column, n = rows.rows;
  g_autoptr (AssayMatrix) only = assay_matrix_new (n, column + 1, error);
  gint64 *labels = g_new (gint64, n);
  gint64 *table = g_new0 (gint64, n * (column + 1));

  for (gsize i = 0; i < n; i++) {
    labels[i] = table[i * (column + 1) + column] = assay_view_row (rows, i)[0] > 0;
    if (only != NULL)
      assay_matrix_row (only, i)[column] = assay_view_row (rows, i)[0];
  }
  assay_arrays_take (known, "labels", assay_array_take (ASSAY_INT64, 1, &n, labels));
  assay_arrays_take_rows (known, "attributes", ASSAY_INT64, n, column + 1, table);
  if (only == NULL)
    return FALSE;
  assay_arrays_take_matrix (known, "secrets", &only);
  return TRUE;
}

/* A name that the settings ask for is that of their column. */
static char **
name_columns (const AttributeInference *settings)
{
  const gsize q = (gsize) settings->column + 1;
  char **names = *settings->name != '\0' ? g_new0 (char *, q + 1) : NULL;

  for (gsize j = 0; names != NULL && j < q; j++)
    names[j] = j + 1 == q ? g_strdup (settings->name) : g_strdup ("");
  return names;
}

static gboolean
make_control (gconstpointer settings, AssayStreamKey key, AssayControlCase *ret_case,
              GError **error)
{
  static const OwnControl control = { .n_secrets = 400, .n_pairs = 2000, .cols = 8 };

  ret_case->attribute_names = name_columns (settings);
  return own_control_make (&control, key, ret_case, error)
         && give_attribute (&ret_case->truth->arrays, settings, error)
         && give_attribute (&((AssayOwnRelease *) ret_case->pairs->releases->pdata[0])->known,
                            settings, error);
}

static guint
wants (gconstpointer values)
{
  const AttributeInference *settings = values;

  if (*settings->name != '\0' || settings->attribute == ASSAY_ATTRIBUTE_COLUMN)
    return ASSAY_HAS_ATTRIBUTES | ASSAY_HAS_PUBLIC_ATTRIBUTES;
  return settings->attribute == ASSAY_ATTRIBUTE_LABEL ? ASSAY_HAS_LABELS | ASSAY_HAS_PUBLIC_LABELS
                                                      : 0;
}

ASSAY_MEMORY (memory, void, own_examples_memory (shape, MAX (shape->n_classes, 2)))

ASSAY_ATTACK (attribute_inference, "attribute-inference",
  .summary = "Run the defense on other rows, and learn to infer an attribute from what it releases",
  .reference = { "Fredrikson, Jha and Ristenpart 2015, Model Inversion Attacks that Exploit "
                 "Confidence Information; Giomi et al. 2023, Anonymeter",
                 "the question; section 4.3" },
  ASSAY_SETTINGS (AttributeInference,
    ASSAY_PARAM_CHOICE (AttributeInference, learner, ASSAY_LEARNER_BEST, assay_learner_names,
                        "The learner; best: the one that does best on held-out rows of the "
                        "attacker's own",
                        ASSAY_PARAM_TRIES_ALL),
    ASSAY_PARAM_CHOICE (AttributeInference, attribute, ASSAY_ATTRIBUTE_LABEL, attributes,
                        "What is inferred: the label of the secret, a column of its further "
                        "attributes, or whether a number of it is above a threshold"),
    ASSAY_PARAM_INT (AttributeInference, column, 0, 0, 65535, "",
                     "Column of the further attributes, or of the secret's own numbers, from 0"),
    ASSAY_PARAM_REAL (AttributeInference, quantile, 0.5, 0, 1, "",
                      "attribute = threshold: share of the attacker's own rows that are below it"),
    ASSAY_PARAM_STRING (AttributeInference, name, "",
                        "Name of a column of the further attributes, in place of attribute and "
                        "column",
                        ASSAY_PARAM_EXTRA)),
  .memory = memory,
  .reads = ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTOR_SETS
           | ASSAY_RELEASE_CODES,
  .needs = ASSAY_GRANT_MECHANISM,
  .adapts = TRUE,
  .wants_pairs = TRUE,
  .wants = wants,
  .game = ASSAY_GAME_INFER,
  .attack = attack,
  .control = { .says = "given 2,000 pairs, the sign of a number is inferred from rows that were "
                       "turned by an unknown rotation",
               .make = make_control,
               .at_least = 0.9 });
