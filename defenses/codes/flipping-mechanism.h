/* The formal side that phashing and pitq have in common. Theorems 4, 6 and 8 of "private hashing"
 * say "epsilon-differentially private" and define it by datasets that differ in one datum
 * (definition 1), but prove it of one bit. `relation` names what neighbours differ in:
 *   bit      one bit of the codes. What leaves is that bit after each of the r Random Flippings
 *            that it goes through: r = 1 in phashing, one an iteration in pitq.
 *   code     the code of one record; at worst in all of its c bits.
 *   record   one record of a small dataset. What leaves is what the algorithm returns.
 * With b the chance of a flip, of m bits (m = r, or r c) in which two inputs differ,
 *   ln P[y | x] / P[y | x'] = ln ((1 - b) / b) * sum of (+1 if y_j = x_j, -1 otherwise),
 * which is at most m |ln ((1 - b) / b)|. Where b is above 1/2, y is a code negated, and the tight
 * event is that all bits are turned. */
#pragma once

#include "core/plugin/plugin.h"

typedef enum { FLIPPING_BIT, FLIPPING_CODE, FLIPPING_RECORD } FlippingRelation;
extern const char *const flipping_relations[];

/* What an attacker on the relation `record` sees: the codes of all records; or the function too. */
typedef enum { FLIPPING_SEES_CODES, FLIPPING_SEES_ALL } FlippingSight;
extern const char *const flipping_sights[];

/* How b is set for the epsilon e of one flip. */
typedef enum {
  FLIPPING_PAPER,               /* b = exp (-e) */
  FLIPPING_RANDOMISED_RESPONSE, /* b = 1 / (1 + exp (e)), of which ln ((1 - b) / b) is e */
} FlippingCalibration;
extern const char *const flipping_calibrations[];

/* Members of a defense's settings, and their lines in its table. */
#define FLIPPING_SETTINGS                                                                          \
  guint relation;                                                                                  \
  guint looks_at;                                                                                  \
  gint64 records

#define FLIPPING_MOST_RECORDS 16

#define FLIPPING_PARAMS(Struct)                                                                    \
  ASSAY_PARAM_CHOICE (Struct, relation, FLIPPING_BIT, flipping_relations,                          \
                      "In audits: what neighbours differ in: one bit of the codes, the code of "   \
                      "one record, or one record of a small dataset"),                             \
      ASSAY_PARAM_CHOICE (Struct, looks_at, FLIPPING_SEES_CODES, flipping_sights,                  \
                          "In audits with relation = record: whether the attacker looks at the "   \
                          "codes alone, or at all that is returned, codes and hash function"),     \
      ASSAY_PARAM_INT (Struct, records, 4, 3, FLIPPING_MOST_RECORDS, "records",                    \
                       "In audits with relation = record: records of the small dataset, each "     \
                       "with as many numbers as a secret")

typedef struct _FlippingGame FlippingGame;

/* What a defense does with a small dataset (records x cols), of the relation `record`. */
typedef struct {
  /* Pair 0. */
  void (*propose) (const FlippingGame *game, gsize cols, float *ret_first, float *ret_second);
  /* How many numbers are returned beside the codes. */
  gsize (*size_beside) (const FlippingGame *game, gsize cols);
  /* @count runs on @dataset, of @n_outputs numbers each. */
  void (*run) (const FlippingGame *game, AssayView dataset, AssayStream *stream, gsize count,
               gsize n_outputs, float *ret_outputs);
  /* Whether a hash function can be learned from it, with an error unless. */
  gboolean (*learn) (const FlippingGame *game, AssayView dataset, AssayStream *stream,
                     GError **error);
} FlippingAlgorithm;

/* One defense with its settings, as the game sees it. */
struct _FlippingGame {
  const FlippingAlgorithm *algorithm;
  gconstpointer settings;
  FlippingRelation relation;
  FlippingSight looks_at;
  gsize records;
  gsize bits;          /* c */
  gsize rounds;        /* r */
  double kept, turned; /* 1 - b and b */
};

/* The members of a game that stand in the @settings as they are. */
#define FLIPPING_GAME(own, values, ...)                                                            \
  ((FlippingGame){ .algorithm = (own),                                                             \
                   .settings = (values),                                                           \
                   .relation = (values)->relation,                                                 \
                   .looks_at = (values)->looks_at,                                                 \
                   .records = (gsize) (values)->records,                                           \
                   .bits = (gsize) (values)->bits,                                                 \
                   __VA_ARGS__ })

void flipping_chances (FlippingCalibration calibration, double epsilon, double *ret_kept,
                       double *ret_turned);

/* What a defense claims whose flips have @epsilon a bit in all: that under each relation, as the
 * paper words it; or with randomised response what composition makes of it, @bits times as much for
 * more than one bit. */
AssayBudget flipping_budget (FlippingCalibration calibration, FlippingRelation relation,
                             double epsilon, gsize bits);

/* Of the relation `record`: ASSAY_ERROR_PARAMETER unless a hash function can be learned from the
 * small datasets of pair 0. */
gboolean flipping_check (const FlippingGame *game, gsize cols, GError **error);

/* ---- Parts of an AssayMechanism ---- */

/* Numbers in an output of the relations bit and code: the input after the first flipping, after the
 * second, ... */
void flipping_size (const FlippingGame *game, gsize cols, gsize *ret_inputs, gsize *ret_outputs);
/* Pair 0: ones and zeros, or the small datasets proposed. Others differ in one bit, or in the code
 * in at least one; datasets are whole numbers from -3 to 3, and one record drawn anew. */
void flipping_pair (const FlippingGame *game, gsize cols, guint index, AssayStream *stream,
                    float *ret_first, float *ret_second);
void flipping_run (const FlippingGame *game, gsize cols, AssayStream *stream, const float *input,
                   gsize count, float *ret_outputs);
void flipping_log_ratio (const FlippingGame *game, AssayInputPair pair, const float *outputs,
                         gsize count, double *ret_scores);
/* All m bits kept, if each had epsilon / m. */
void flipping_tight_event (const FlippingGame *game, double epsilon, double *ret_first,
                           double *ret_second);

/* ---- For algorithms ---- */

/* What tells records of a small dataset apart in the columns after the first: +1/4 or -1/4, by the
 * digits of @number in base 2. */
void flipping_fill_rest (gsize number, gsize cols, float *inout_record);

/* A key of its own for each thing that is drawn in one run. */
AssayStreamKey flipping_key (AssayStream *stream);

/* The mechanism @symbol of a defense whose settings game_of () turns into a FlippingGame, and
 * budget () into what is claimed. */
#define FLIPPING_MECHANISM(symbol, Struct)                                                         \
  static gboolean has_density (gconstpointer settings)                                             \
  {                                                                                                \
    return ((const Struct *) settings)->relation != FLIPPING_RECORD;                               \
  }                                                                                                \
  static void size (gconstpointer settings, gsize cols, gsize *ret_inputs, gsize *ret_outputs)     \
  {                                                                                                \
    const FlippingGame game = game_of (settings);                                                  \
    flipping_size (&game, cols, ret_inputs, ret_outputs);                                          \
  }                                                                                                \
  static void pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream,          \
                    float *ret_first, float *ret_second)                                           \
  {                                                                                                \
    const FlippingGame game = game_of (settings);                                                  \
    flipping_pair (&game, cols, index, stream, ret_first, ret_second);                             \
  }                                                                                                \
  static void run (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,    \
                   gsize count, float *ret_outputs)                                                \
  {                                                                                                \
    const FlippingGame game = game_of (settings);                                                  \
    flipping_run (&game, cols, stream, input, count, ret_outputs);                                 \
  }                                                                                                \
  static void log_ratio (gconstpointer settings, G_GNUC_UNUSED gsize cols, AssayInputPair inputs,  \
                         const float *outputs, gsize count, double *ret_scores)                    \
  {                                                                                                \
    const FlippingGame game = game_of (settings);                                                  \
    flipping_log_ratio (&game, inputs, outputs, count, ret_scores);                                \
  }                                                                                                \
  static void tight_event (gconstpointer settings, G_GNUC_UNUSED gsize cols, double epsilon,       \
                           double *ret_first, double *ret_second)                                  \
  {                                                                                                \
    const FlippingGame game = game_of (settings);                                                  \
    flipping_tight_event (&game, epsilon, ret_first, ret_second);                                  \
  }                                                                                                \
  static const AssayMechanism symbol                                                               \
      = { .neighbours = "by relation: codes that differ in one bit, codes of one record, or "      \
                        "datasets that differ in one record",                                      \
          .budget = budget,                                                                        \
          .has_own_inputs = TRUE,                                                                  \
          .size = size,                                                                            \
          .n_proposed = 1,                                                                         \
          .pair = pair,                                                                            \
          .run = run,                                                                              \
          .log_ratio = log_ratio,                                                                  \
          .tight_event = tight_event,                                                              \
          .has_density = has_density }
