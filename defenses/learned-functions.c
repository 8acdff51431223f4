/* Hash functions that were learned. */
#include "defenses/learned-functions.h"

typedef struct {
  char *key;
  AssayHashFunction *function;
} Learned;

static GMutex lock;
static GQueue kept = G_QUEUE_INIT; /* of Learned; the one asked for last comes first */

static void
learned_free (Learned *learned)
{
  g_free (learned->key);
  assay_hash_function_free (learned->function);
  g_free (learned);
}

char *
learned_function_key (HashMethod method, const HashSettings *settings, const HashTraining *training)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *text = g_strdup_printf (
      "%u bits %" G_GINT64_FORMAT " iterations %" G_GINT64_FORMAT " anchors %" G_GINT64_FORMAT
      " labelled %" G_GINT64_FORMAT " width %a lambda %a nu %a stream %u %u rows %" G_GSIZE_FORMAT
      " x %" G_GSIZE_FORMAT " classes %" G_GSIZE_FORMAT "\n",
      (guint) method, settings->bits, settings->iterations, settings->anchors, settings->labelled,
      settings->width, settings->lambda, settings->nu, training->stream.word[0],
      training->stream.word[1], training->rows.rows, training->rows.cols, training->n_classes);

  g_checksum_update (checksum, (const guchar *) text, -1);
  for (gsize i = 0; i < training->rows.rows; i++)
    g_checksum_update (checksum, (const guchar *) assay_view_row (training->rows, i),
                       (gssize) (training->rows.cols * sizeof (float)));
  if (training->labels != NULL)
    g_checksum_update (checksum, (const guchar *) training->labels,
                       (gssize) (training->rows.rows * sizeof (gint64)));
  return g_strdup (g_checksum_get_string (checksum));
}

static AssayMatrix *
copy_matrix (const AssayMatrix *matrix)
{
  return matrix != NULL ? assay_matrix_copy (assay_matrix_view (matrix), NULL) : NULL;
}

/* NULL where memory is short: then it is learned again. */
static AssayHashFunction *
copy_function (const AssayHashFunction *function)
{
  g_autoptr (AssayHashFunction) copy = assay_hash_function_new ();

  copy->mean = copy_matrix (function->mean);
  copy->projection = copy_matrix (function->projection);
  copy->anchors = copy_matrix (function->anchors);
  copy->waves = copy_matrix (function->waves);
  copy->width = function->width;
  if (copy->mean == NULL || copy->projection == NULL
      || (copy->anchors == NULL) != (function->anchors == NULL)
      || (copy->waves == NULL) != (function->waves == NULL))
    return NULL;
  return g_steal_pointer (&copy);
}

AssayHashFunction *
learned_function_find (const char *key)
{
  AssayHashFunction *found = NULL;

  g_mutex_lock (&lock);
  for (GList *link = kept.head; link != NULL; link = link->next) {
    const Learned *learned = link->data;

    if (g_str_equal (learned->key, key)) {
      g_queue_unlink (&kept, link);
      g_queue_push_head_link (&kept, link);
      found = copy_function (learned->function);
      break;
    }
  }
  g_mutex_unlock (&lock);
  return found;
}

void
learned_function_keep (const char *key, const AssayHashFunction *function)
{
  AssayHashFunction *copy = copy_function (function);
  Learned *learned;

  if (copy == NULL)
    return;
  learned = g_new (Learned, 1);
  *learned = (Learned){ .key = g_strdup (key), .function = copy };
  g_mutex_lock (&lock);
  g_queue_push_head (&kept, learned);
  if (g_queue_get_length (&kept) > LEARNED_FUNCTIONS_MOST)
    learned_free (g_queue_pop_tail (&kept));
  g_mutex_unlock (&lock);
}
