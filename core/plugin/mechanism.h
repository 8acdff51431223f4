/* A defense with a formal claim, as the game distinguish sees it (core/games/distinguish.h): which
 * budget it claims under which relation, worst-case neighbouring inputs, and fresh runs on them.
 *
 * Inputs are rows of float32. Outputs are audited as what they are released as: float32 here, or
 * doubles (AssayDoubles; programs always), whose lowest bits an audit looks at too. Settings are
 * the defense's struct; @cols are the columns of one secret. Every callback is a pure function of
 * its arguments and may be called from several threads at once.
 *
 * A mechanism of another program can fail, and starting it costs more than a run: it has batches in
 * place of pair and run (defenses/external/exec-mechanism.h). */
#pragma once

#include <glib.h>

#include "core/base/rng.h"
#include "core/data/matrix.h"
#include "core/plugin/domain.h"

G_BEGIN_DECLS

/* (epsilon, delta)-differential privacy. */
typedef struct {
  double epsilon;
  double delta; /* 0: pure */
} AssayBudget;

/* One input: so many numbers. */
typedef struct {
  const float *numbers;
  gsize count;
} AssayInput;

/* Two neighbouring inputs of equal size. */
typedef struct {
  const float *first;
  const float *second;
} AssayInputPair;

/* Pairs and runs of a mechanism of another program. All pairs are proposals, and there are no
 * others. load_pair and run_many fail where an input has another size by now. */
typedef struct {
  guint (*count_pairs) (gconstpointer settings); /* 0: that cannot be told */
  /* Whether they can be used; asked when a scenario is loaded that is to be run. */
  gboolean (*check_pairs) (gconstpointer settings, GError **error);
  gboolean (*load_pair) (gconstpointer settings, guint index, gsize n_inputs, float *ret_first,
                         float *ret_second, GError **error);
  /* For how many runs run_many is asked at once, unless all purposes need fewer: a multiple of
   * ASSAY_PANEL_RUNS. */
  gsize (*batch_runs) (gconstpointer settings);
  /* Asked by one thread; draws from @stream; ASSAY_ERROR_DATA where the program fails. */
  gboolean (*run_many) (gconstpointer settings, AssayStream *stream, AssayInput input,
                        gsize count, double *ret_outputs, GError **error);
} AssayBatches;

/* Runs that put out float64, bit by bit as it is released; log_ratio may be NULL. */
typedef struct {
  void (*run) (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
               gsize count, double *ret_outputs);
  void (*log_ratio) (gconstpointer settings, gsize cols, AssayInputPair pair,
                     const double *outputs, gsize count, double *ret_scores);
} AssayDoubles;

/* Of a defense that acts on a whole dataset, for the game one-run (core/games/one-run.h): how many
 * canaries there can be; @count of them as rows of the dataset, those that are drawn from @stream;
 * and from the @n_release numbers that one run put out, a score for each canary, higher where it
 * rather was in the dataset. The last two fail with ASSAY_ERROR_DATA where a file or a program of
 * others does. */
typedef struct {
  gsize (*most) (gconstpointer settings, gsize cols);
  gboolean (*make) (gconstpointer settings, gsize cols, gsize count, AssayStream *stream,
                    float *ret_rows, GError **error);
  gboolean (*score) (gconstpointer settings, AssayView canaries, const float *release,
                     gsize n_release, double *ret_scores, GError **error);
} AssayCanaries;

typedef struct {
  /* The relation under which it claims, in words: "any two values", "one record more or less"; and
   * where settings say it, what they say (NULL: `neighbours`). */
  const char *neighbours;
  const char *(*relation) (gconstpointer settings);

  /* Whether these settings claim anything; NULL: all do. */
  gboolean (*is_claimed) (gconstpointer settings);
  AssayBudget (*budget) (gconstpointer settings, gsize cols);

  /* An input is not a secret but something of its own (a code, a small dataset), whatever the
   * columns of a secret. */
  gboolean has_own_inputs;

  /* How many numbers one input and one output have. */
  void (*size) (gconstpointer settings, gsize cols, gsize *ret_inputs, gsize *ret_outputs);

  /* Neighbouring inputs number @index. Those below @n_proposed are proposals, the worst first;
   * beyond them neighbours are drawn at random from @stream, for attacks that search. */
  guint n_proposed;
  void (*pair) (gconstpointer settings, gsize cols, guint index, AssayStream *stream,
                float *ret_first, float *ret_second);

  /* @count fresh and independent runs on @input, one output a row, drawn from @stream. */
  void (*run) (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
               gsize count, float *ret_outputs);

  const AssayBatches *batches; /* of another program, in place of pair and run */
  const AssayDoubles *doubles; /* in place of run and log_ratio, of outputs that are float64 */

  /* Exact log-likelihood ratio, natural logarithm: ln p (output | first) - ln p (output | second)
   * of each of @count outputs; +-G_MAXDOUBLE where one of the two cannot give the output. NULL: the
   * density is not known, or the defense does not do what it says it does. */
  void (*log_ratio) (gconstpointer settings, gsize cols, AssayInputPair pair, const float *outputs,
                     gsize count, double *ret_scores);

  /* Probabilities of the tight event on the first and on the second input of pair 0, if the
   * mechanism were built for @epsilon (at its own delta): a closed form, from which power is
   * computed. NULL: not known. */
  void (*tight_event) (gconstpointer settings, gsize cols, double epsilon, double *ret_first,
                       double *ret_second);

  /* Whether log_ratio and tight_event are known with these settings; NULL: with all, where they are
   * not NULL themselves. */
  gboolean (*has_density) (gconstpointer settings);

  const AssayCanaries *canaries; /* NULL: each secret is protected for itself */

  /* The inputs that it is for, n_inputs = rows x cols numbers each, and which of them are
   * neighbours: audits make pairs of their own of it, beside those above. The caller frees it.
   * NULL, or a NULL domain: not declared. */
  AssayDomain *(*domain) (gconstpointer settings, gsize cols);
} AssayMechanism;

/* Whether it offers a density with some settings. */
static inline gboolean
assay_mechanism_has_ratio (const AssayMechanism *mechanism)
{
  return mechanism->doubles != NULL ? mechanism->doubles->log_ratio != NULL
                                    : mechanism->log_ratio != NULL;
}

G_END_DECLS
