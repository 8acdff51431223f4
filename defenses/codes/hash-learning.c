/* Drawing training rows, learning once from equal ones, and releasing codes with their function. */
#include "defenses/codes/hash-learning.h"

#include <string.h>

#include "core/base/shared-work.h"
#include "core/data/kinds/codes.h"
#include "defenses/codes/itq-rotation.h"

/* Of the common stream: no item of a secret. */
#define TRAINING_ITEM G_MAXUINT64

const char *const hash_methods[] = { "lsh", "itq", "sh", "ksh", "sdh",
                                    "dpsh", "dsh", "hashnet", "adsh", NULL };
const char *const hash_networks[] = { "hidden-layer", "convolutional", NULL };
const char *const hash_sources[] = { "secrets", "public", NULL };

typedef AssayHashFunction *(*Learn) (const HashTraining *training, const HashSettings *settings,
                                     GError **error);

static const Learn learners[] = {
  [HASH_LSH] = lsh_learn, [HASH_ITQ] = itq_learn, [HASH_SH] = sh_learn,
  [HASH_KSH] = ksh_learn, [HASH_SDH] = sdh_learn, [HASH_DPSH] = dpsh_learn,
  [HASH_DSH] = dsh_learn, [HASH_HASHNET] = hashnet_learn, [HASH_ADSH] = adsh_learn,
};

/* Defenses that wrap several methods have settings that @own's does not read: functions that are
 * the same shall be known as such. */
static void
forget_unread (HashMethod method, HashSettings *own)
{
  if (method != HASH_SDH)
    own->lambda = own->nu = 0;
  if (method != HASH_KSH)
    own->labelled = 0;
  if (method >= HASH_DPSH) {
    own->iterations = own->anchors = 0;
    return;
  }
  own->network = 0;
  own->channels = own->hidden = own->steps = own->shift = 0;
  own->rate = 0;
  own->mirror = false;
}

/* @settings with the numbers that @method has by itself where they are HASH_OWN. */
static HashSettings
resolved (HashMethod method, const HashSettings *settings)
{
  HashSettings own = *settings;

  if (own.iterations == HASH_OWN)
    own.iterations = method == HASH_SDH ? 5 : 50;
  if (own.anchors == HASH_OWN)
    own.anchors = method == HASH_SDH ? 1000 : 300;
  forget_unread (method, &own);
  return own;
}

/* ---- Training rows ---- */

gboolean
hash_rows_check (AssayView rows, GError **error)
{
  for (gsize i = 1; i < rows.rows; i++)
    for (gsize j = 0; j < rows.cols; j++)
      if (assay_view_row (rows, i)[j] != rows.data[j])
        return TRUE;
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "all %zu training rows are equal: expected features that vary", rows.rows);
}

ASSAY_CLEAR_FUNC (HashMaterial, hash_material_clear, assay_drop (self->rows, assay_matrix_free),
                  assay_drop (self->labels, g_free), assay_drop (self->label_sets, g_free))

/* Copies @count of the training rows, drawn at random, and their labels, in place of all. */
static gboolean
draw_rows (gsize count, AssayStream *stream, HashMaterial *material, GError **error)
{
  HashTraining *training = &material->training;
  const HashTraining all = *training;
  const gsize words = all.label_words;
  g_autofree gsize *order = assay_alloc (all.rows.rows, sizeof (gsize), "training rows", error);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (count, all.rows.cols, error);

  if (order == NULL || rows == NULL)
    return FALSE;
  assay_stream_permutation (stream, all.rows.rows, order);
  material->labels = all.labels != NULL ? g_new (gint64, count) : NULL;
  material->label_sets = all.label_sets != NULL ? g_new (gint64, count * words) : NULL;
  for (gsize i = 0; i < count; i++) {
    memcpy (assay_matrix_row (rows, i), assay_view_row (all.rows, order[i]),
            all.rows.cols * sizeof (float));
    if (material->labels != NULL)
      material->labels[i] = all.labels[order[i]];
    if (material->label_sets != NULL)
      memcpy (material->label_sets + i * words, all.label_sets + order[i] * words,
              words * sizeof (gint64));
  }
  assay_drop (material->rows, assay_matrix_free); /* of all, where they were read */
  material->rows = g_steal_pointer (&rows);
  training->rows = assay_matrix_view (material->rows);
  training->labels = material->labels;
  training->label_sets = material->label_sets;
  return TRUE;
}

/* Of public rows the first class alone is known where they have several. */
static gboolean
take_public (const AssayDefenseContext *context, gsize cols, HashMaterial *material,
             GError **error)
{
  const AssayRows *rows = context->public_rows;

  if (rows == NULL || assay_rows_cols (rows) != cols || assay_rows_count (rows) == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "learns_from = public: expected public rows of %zu numbers, found %s", cols,
                       rows == NULL ? "none" : "others");
  material->rows = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error);
  if (material->rows == NULL)
    return FALSE;
  material->training.rows = assay_matrix_view (material->rows);
  material->training.labels = context->public_labels;
  material->training.label_sets = NULL;
  return TRUE;
}

gboolean
hash_material (const HashSettings *settings, const AssayDefenseContext *context, AssayView secrets,
               HashMaterial *ret_material, GError **error)
{
  const guint64 seed = (guint64) settings->learning_seed;
  const AssayStreamKey common
      = seed > 0 ? assay_stream_key (seed, 0, "hash-function", "") : context->common_stream;
  AssayStream stream = assay_stream (common, TRAINING_ITEM);
  const guint32 word = assay_stream_u32 (&stream);

  if (secrets.rows == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "no secrets; expected rows to learn a hash function from");
  ret_material->training = (HashTraining){ .rows = secrets,
                                           .labels = context->labels,
                                           .label_sets = context->label_sets,
                                           .label_words = context->label_words,
                                           .n_classes = context->n_classes,
                                           .picture = context->geometry,
                                           .stream = { { word, assay_stream_u32 (&stream) } } };
  if (settings->learns_from == HASH_FROM_PUBLIC
      && !take_public (context, secrets.cols, ret_material, error))
    return FALSE;
  return settings->training == 0
         || (gsize) settings->training >= ret_material->training.rows.rows
         || draw_rows ((gsize) settings->training, &stream, ret_material, error);
}

guint
hash_uses (gconstpointer settings)
{
  return ((const HashSettings *) settings)->learns_from == HASH_FROM_PUBLIC ? ASSAY_GRANT_PUBLIC
                                                                            : 0;
}

/* The name of what @method learns from @training with @settings: equal for equal input. */
static char *
key_of (HashMethod method, const HashSettings *settings, const HashTraining *training)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *text = g_strdup_printf (
      "%u bits %" G_GINT64_FORMAT " iterations %" G_GINT64_FORMAT " anchors %" G_GINT64_FORMAT
      " labelled %" G_GINT64_FORMAT
      " width %a lambda %a nu %a network %u channels %" G_GINT64_FORMAT " hidden %" G_GINT64_FORMAT
      " steps %" G_GINT64_FORMAT " rate %a shift %" G_GINT64_FORMAT
      " mirror %d stream %u %u rows %zu x %zu of height %zu classes %zu\n",
      (guint) method, settings->bits, settings->iterations, settings->anchors, settings->labelled,
      settings->width, settings->lambda, settings->nu, settings->network, settings->channels,
      settings->hidden, settings->steps, settings->rate, settings->shift, settings->mirror,
      training->stream.word[0], training->stream.word[1], training->rows.rows, training->rows.cols,
      training->picture.height, training->n_classes);

  g_checksum_update (checksum, (const guchar *) text, -1);
  for (gsize i = 0; i < training->rows.rows; i++)
    g_checksum_update (checksum, (const guchar *) assay_view_row (training->rows, i),
                       (gssize) (training->rows.cols * sizeof (float)));
  if (training->labels != NULL)
    g_checksum_update (checksum, (const guchar *) training->labels,
                       (gssize) (training->rows.rows * sizeof (gint64)));
  if (training->label_sets != NULL)
    g_checksum_update (
        checksum, (const guchar *) training->label_sets,
        (gssize) (training->rows.rows * training->label_words * sizeof (gint64)));
  return g_strdup (g_checksum_get_string (checksum));
}

/* One for the process: what is learned depends on its key alone. */
static guint64
find_owner (void)
{
  static gsize is_set;
  static guint64 owner;

  if (g_once_init_enter (&is_set)) {
    owner = assay_shared_owner ();
    g_once_init_leave (&is_set, 1);
  }
  return owner;
}

static gsize
bytes_of (const AssayHashFunction *function)
{
  const AssayMatrix *matrices[]
      = { function->mean,  function->projection,        function->anchors,
          function->hidden, function->waves,            function->kernels.layers[0],
          function->kernels.layers[1], function->kernels.layers[2] };
  gsize bytes = 0;

  for (guint i = 0; i < G_N_ELEMENTS (matrices); i++)
    if (matrices[i] != NULL)
      bytes += matrices[i]->rows * matrices[i]->cols * sizeof (float);
  return bytes;
}

AssayHashFunction *
hash_learn (HashMethod method, const HashSettings *settings, const AssayDefenseContext *context,
            AssayView secrets, GError **error)
{
  const HashSettings own = resolved (method, settings);
  g_auto (HashMaterial) material = { 0 };
  g_autofree char *key = NULL;
  g_autoptr (AssayShared) kept = NULL;
  AssayHashFunction *function;

  if (context->key_of != NULL)
    return assay_hash_function_from (context->key_of, error);
  if (!hash_material (&own, context, secrets, &material, error))
    return NULL;
  key = key_of (method, &own, &material.training);
  kept = assay_shared_find (find_owner (), key);
  if (kept == NULL) {
    function = learners[method](&material.training, &own, error);
    if (function == NULL)
      return NULL;
    kept = assay_shared_add (find_owner (), key, function, bytes_of (function),
                             (GDestroyNotify) assay_hash_function_free);
  }
  return assay_hash_function_ref (assay_shared_value (kept));
}

/* ---- Releases ---- */

gboolean
hash_release (const AssayHashFunction *function, AssayView secrets, AssayRelease *ret_release,
              AssayTruth *ret_truth, GError **error)
{
  AssayArray *codes = assay_hash_function_codes (function, secrets, error);

  if (codes == NULL)
    return FALSE;
  ret_release->bits = assay_hash_function_bits (function);
  assay_arrays_take (&ret_truth->arrays, "codes", assay_array_copy (codes));
  assay_arrays_take (&ret_release->arrays, "codes", codes);
  assay_hash_function_release (function, ret_release);
  ret_truth->says = g_strdup (function->says);
  return TRUE;
}

gboolean
hash_protect (HashMethod method, const AssayDefenseContext *context, AssayView secrets,
              AssayRelease *ret_release, AssayTruth *ret_truth, GError **error)
{
  g_autoptr (AssayHashFunction) function
      = hash_learn (method, context->settings, context, secrets, error);

  if (function == NULL || !hash_release (function, secrets, ret_release, ret_truth, error))
    return FALSE;
  ASSAY_SET_PARAMETER (ret_release, AssayCodesParameters, flip_probability, 0.0);
  return TRUE;
}

/* ---- Before anything is loaded ---- */

static gboolean
is_kernel (HashMethod method)
{
  return method == HASH_KSH || method == HASH_SDH;
}

/* All that it may be learned from; 0: not known. */
static gsize
source_rows (const HashSettings *settings, const AssayShape *shape)
{
  return settings->learns_from == HASH_FROM_PUBLIC ? shape->n_public : shape->n_secrets;
}

static gsize
training_rows (const HashSettings *settings, const AssayShape *shape)
{
  return settings->training == 0 ? source_rows (settings, shape) : (gsize) settings->training;
}

static gboolean
is_deep (HashMethod method)
{
  return method >= HASH_DPSH;
}

/* At most @most of what @name says. */
static gboolean
check_most (const char *name, gint64 value, gsize most, const char *of, GError **error)
{
  if ((guint64) value <= most)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "%s = %" G_GINT64_FORMAT ": expected at most %zu, %s", name, value, most, of);
}

gboolean
hash_check (HashMethod method, const HashSettings *settings, const AssayShape *shape,
            GError **error)
{
  const HashSettings own = resolved (method, settings);
  const gsize t = training_rows (settings, shape), most = source_rows (settings, shape);

  if (most > 0
      && !check_most ("training", settings->training, most,
                      settings->learns_from == HASH_FROM_PUBLIC ? "the number of public rows"
                                                                : "the number of secrets",
                      error))
    return FALSE;
  if (t > 0 && t < 2)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "a hash function cannot be learned from one row; expected 2 at least");
  if (method == HASH_ITQ
      && ((t > 0
           && !check_most ("bits", settings->bits, t - 1,
                           "one less than there are training rows, which have no more principal "
                           "components",
                           error))
          || (shape->cols > 0
              && !check_most ("bits", settings->bits, shape->cols,
                              "the numbers of a row, which has no more principal components",
                              error))))
    return FALSE;
  if (is_kernel (method) && t > 0
      && !check_most ("anchors", own.anchors, t, "the number of training rows", error))
    return FALSE;
  if (is_deep (method) && !deep_encoder_check (settings, shape, error))
    return FALSE;
  return method != HASH_KSH || t == 0
         || check_most ("labelled", settings->labelled, t, "the number of training rows", error);
}

guint64
hash_memory (HashMethod method, const HashSettings *settings, const AssayShape *shape)
{
  const gsize t = training_rows (settings, shape), bits = (gsize) settings->bits;
  const HashSettings own = resolved (method, settings);
  const guint64 d = shape->cols, m = is_kernel (method) ? (guint64) own.anchors : 0;
  const guint64 read = settings->learns_from == HASH_FROM_PUBLIC ? shape->n_public : 0;
  const guint64 chosen
      = (read + (settings->training == 0 ? 0 : (guint64) t)) * d * sizeof (float);
  const guint64 codes = (guint64) shape->n_secrets * (assay_code_bytes (bits) + sizeof (gsize));
  guint64 learning = 0;

  switch (method) {
  case HASH_LSH:
    break;
  case HASH_ITQ:
    learning = itq_memory (t, shape->cols, bits);
    break;
  case HASH_SH:
    learning = assay_principal_memory (shape->cols, MIN (bits, shape->cols))
               + (guint64) t * MIN (bits, d) * sizeof (float);
    break;
  case HASH_KSH:
  case HASH_SDH:
    learning = 2 * (guint64) t * (m + bits) * sizeof (float) + 4 * m * m * sizeof (double);
    break;
  case HASH_DPSH:
  case HASH_DSH:
  case HASH_HASHNET:
  case HASH_ADSH:
    learning = deep_encoder_memory (settings, t, shape);
    break;
  }
  if (method == HASH_KSH)
    learning += (guint64) settings->labelled * (guint64) settings->labelled * sizeof (float);
  return chosen + 3 * codes + bits * (d + m) * sizeof (float) + learning;
}
