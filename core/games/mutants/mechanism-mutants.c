/* Mutants of mechanisms: the base with its runs replaced. */
#include "core/games/mutants/mechanism-mutants.h"

#include <string.h>

#include "core/games/mutants/mechanism-mistakes.h"

typedef struct {
  const AssayMistake *mistake;
  AssayMistaken of;
  AssayMechanismView *view;
  AssayMechanism mechanism;
  AssayBatches batches;
  AssayDoubles doubles;
  gpointer weaker_settings;  /* or NULL */
  AssayMechanismView weaker; /* borrows all but its settings from @view */
} Own;

const AssayMutantKind *
assay_mechanism_mutant_kind (guint index)
{
  return index < assay_n_mechanism_mistakes ? &assay_mechanism_mistakes[index].kind : NULL;
}

/* How long it took: two deviations more on one side. */
static double
time_of (const Own *own, AssayStream *stream, const float *input)
{
  return 10 + 2 * assay_mechanism_view_is_second (own->view, input)
         + assay_stream_normal (stream);
}

/* Makes room for a time behind each of @count outputs, the last one first. */
static void
add_times (const Own *own, AssayStream *stream, const float *input, gsize count, double *outputs)
{
  const gsize n = own->view->n_outputs;

  for (gsize i = count; i-- > 0;) {
    memmove (outputs + i * (n + 1), outputs + i * n, n * sizeof *outputs);
    outputs[i * (n + 1) + n] = time_of (own, stream, input);
  }
}

static gboolean
play (AssayMutant *mutant, AssayStream *stream, const float *input, gsize count, double *outputs,
      GError **error)
{
  const Own *own = mutant->own;
  const AssayMistake *mistake = own->mistake;
  g_autofree double *centre = NULL;
  AssayMistaken of = own->of;

  if (own->view->has_numbers && (mistake->needs & (ASSAY_NEEDS_NUMBERS | ASSAY_NEEDS_WEAKER))) {
    centre = g_new (double, own->view->n_outputs);
    if (!assay_mechanism_view_centre (own->view, input, centre, error))
      return FALSE;
  }
  of.stream = stream;
  of.input = input;
  of.centre = centre;
  of.count = count;
  of.outputs = outputs;
  if (mistake->draw != NULL
          ? !mistake->draw (&of, error)
          : !assay_mechanism_view_run (own->view, stream, input, count, outputs, error))
    return FALSE;
  if (mistake->alter != NULL)
    mistake->alter (&of);
  if (mistake->adds_column)
    add_times (own, stream, input, count, outputs);
  return TRUE;
}

/* What is not a program does not fail. */
static void
run_doubles (gconstpointer settings, G_GNUC_UNUSED gsize cols, AssayStream *stream,
             const float *input, gsize count, double *ret_outputs)
{
  play (assay_mutant_of (settings), stream, input, count, ret_outputs, NULL);
}

static void
run (gconstpointer settings, gsize cols, AssayStream *stream, const float *input, gsize count,
     float *ret_outputs)
{
  const Own *own = assay_mutant_of (settings)->own;
  const gsize n = count * (own->view->n_outputs + own->mistake->adds_column);
  g_autofree double *outputs = g_new (double, n);

  run_doubles (settings, cols, stream, input, count, outputs);
  for (gsize i = 0; i < n; i++)
    ret_outputs[i] = (float) outputs[i];
}

static gboolean
run_many (gconstpointer settings, AssayStream *stream, AssayInput input, gsize count,
          double *ret_outputs, GError **error)
{
  return play (assay_mutant_of (settings), stream, input.numbers, count, ret_outputs, error);
}

static void
size (gconstpointer settings, gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const AssayMutant *mutant = assay_mutant_of (settings);
  const Own *own = mutant->own;

  mutant->base->mechanism->size (settings, cols, ret_inputs, ret_outputs);
  *ret_outputs += own->mistake->adds_column;
}

/* A declared density knows nothing of what was added. */
static void
log_ratio (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  const AssayMutant *mutant = assay_mutant_of (settings);
  const gsize n = ((const Own *) mutant->own)->view->n_outputs;
  g_autofree float *known = g_new (float, count *n);

  for (gsize i = 0; i < count; i++)
    memcpy (known + i * n, outputs + i * (n + 1), n * sizeof *known);
  mutant->base->mechanism->log_ratio (settings, cols, pair, known, count, ret_scores);
}

static void
log_ratio_of_doubles (gconstpointer settings, gsize cols, AssayInputPair pair,
                      const double *outputs, gsize count, double *ret_scores)
{
  const AssayMutant *mutant = assay_mutant_of (settings);
  const gsize n = ((const Own *) mutant->own)->view->n_outputs;
  g_autofree double *known = g_new (double, count *n);

  for (gsize i = 0; i < count; i++)
    memcpy (known + i * n, outputs + i * (n + 1), n * sizeof *known);
  mutant->base->mechanism->doubles->log_ratio (settings, cols, pair, known, count, ret_scores);
}

static ASSAY_FREE_FUNC (Own, own_free, assay_mechanism_view_free (self->view),
                        g_free (self->weaker_settings))

static const char *
why_not (const Own *own, const AssayBudget *claimed)
{
  const AssayMistake *mistake = own->mistake;
  const AssayMechanismView *view = own->view;

  if ((mistake->needs & ASSAY_NEEDS_COLUMNS) && view->n_outputs < 2)
    return "an output has one column";
  if ((mistake->needs & ASSAY_NEEDS_NUMBERS) && !view->has_numbers)
    return "outputs are values of which few are different, not numbers with noise";
  if ((mistake->needs & ASSAY_NEEDS_VALUES) && view->discrete_column == view->n_outputs)
    return "no column of the outputs has few values";
  if ((mistake->needs & ASSAY_NEEDS_OWN_RUNS) && view->mechanism->batches != NULL)
    return "the program draws many runs with one seed";
  if (mistake->rate > 0 && mistake->rate <= claimed->delta)
    return "the claimed delta allows it";
  if ((mistake->needs & ASSAY_NEEDS_WEAKER) && own->of.weaker == NULL && !view->has_numbers)
    return "there is no setting epsilon, and outputs are no numbers with noise";
  return NULL;
}

/* The mechanism's own callbacks stay, but for its runs. */
static void
wrap (AssayMutant *mutant, Own *own)
{
  const AssayMechanism *base = mutant->base->mechanism;
  const gboolean is_longer = own->mistake->adds_column;

  own->mechanism = *base;
  if (base->batches != NULL) {
    own->batches = *base->batches;
    own->batches.run_many = run_many;
    own->mechanism.batches = &own->batches;
  } else if (base->doubles != NULL) {
    own->doubles = *base->doubles;
    own->doubles.run = run_doubles;
    if (is_longer && base->doubles->log_ratio != NULL)
      own->doubles.log_ratio = log_ratio_of_doubles;
    own->mechanism.doubles = &own->doubles;
  } else {
    own->mechanism.run = run;
  }
  if (is_longer) {
    own->mechanism.size = size;
    if (base->log_ratio != NULL)
      own->mechanism.log_ratio = log_ratio;
  }
  mutant->defense.mechanism = &own->mechanism;
}

/* The same mechanism with twice the epsilon, where a setting makes it. */
static void
weaken (Own *own, const AssayDefense *base, const AssaySettings *settings)
{
  own->weaker_settings = base->mechanism->batches == NULL
                             ? assay_mutant_scaled (base, settings, "epsilon", 2)
                             : NULL;
  own->weaker = *own->view;
  own->weaker.settings = own->weaker_settings;
  if (own->weaker_settings != NULL)
    own->of.weaker = &own->weaker;
}

AssayMutant *
assay_mechanism_mutant_new (guint index, const AssayDefense *base, const AssaySettings *settings,
                            gsize cols, const char **ret_why_not, GError **error)
{
  const AssayBudget claimed = base->mechanism->budget (settings->values, cols);
  g_autoptr (AssayMutant) mutant = assay_mutant_new (base, settings);
  Own *own = g_new0 (Own, 1);

  mutant->own = own;
  mutant->free_own = (GDestroyNotify) own_free;
  own->mistake = &assay_mechanism_mistakes[index];
  own->view = assay_mechanism_view_new (base->mechanism, settings->values, cols, error);
  *ret_why_not = NULL;
  if (own->view == NULL)
    return NULL;
  own->of = (AssayMistaken){ .view = own->view, .rate = own->mistake->rate };
  if (own->mistake->needs & ASSAY_NEEDS_WEAKER)
    weaken (own, base, settings);
  *ret_why_not = why_not (own, &claimed);
  if (*ret_why_not != NULL)
    return NULL;
  wrap (mutant, own);
  return g_steal_pointer (&mutant);
}
