/* Generated feature vectors with labels: what retrieval, hashing and linkage need without any data
 * at hand.
 *
 * A class is a few modes in a space of few dimensions, a row one of the modes of its class with
 * Gaussian spread, mapped into the columns by a random matrix, together with as many nuisance
 * dimensions that say nothing of the class and vary more than it does:
 *   x = A (separation mode + u) + nuisance B v + 0.1 e,  u, v, e ~ N (0, 1), A, B ~ N (0, 1 / rank)
 * so that leading principal components are not the ones that tell classes apart, and supervised
 * hashing has something to gain. A row with several labels is the mean of a mode of each of its
 * classes.
 *
 * Roles: secrets, public rows, test rows, all drawn alike. Where `records` is on, the public rows
 * also hold another record of each secret (datasets/tables/record-copies.h). Row i of a role draws
 * from a stream of its own. */
#include <math.h>
#include <string.h>

#include "core/data/arena.h"
#include "core/data/formats/label-sets.h"
#include "core/plugin/plugin.h"
#include "datasets/tables/record-copies.h"
#include "datasets/tables/row-labels.h"

#define NOISE 0.1
#define MAX_LABELS 63 /* of a row */

typedef struct {
  gint64 count;
  gint64 public_count;
  gint64 test_count;
  gint64 columns;
  gint64 classes;
  gint64 modes;
  gint64 rank;
  double separation;
  double nuisance;
  gint64 labels;
  bool records;
  double record_noise;
} GaussianClasses;

enum { SECRETS, PUBLIC, TEST, N_ROLES };

/* Streams of rows begin with the role; what all roles share comes last. */
#define ITEM(role, row) (((guint64) (role) << 48) | (row))
#define SHARED ITEM (N_ROLES, 0)
#define RECORDS ITEM (N_ROLES, 1)

typedef struct {
  const GaussianClasses *settings;
  AssayStreamKey key;
  float *centres; /* classes x modes x rank */
  float *map;     /* columns x 2 rank: A and B */
  float *latent;  /* 2 rank: of the row that is drawn */
  GChecksum *checksum;
} Space;

static gboolean
make_space (Space *space, AssayArena *arena, GError **error)
{
  const GaussianClasses *settings = space->settings;
  const gsize rank = (gsize) settings->rank;
  const gsize centres = (gsize) (settings->classes * settings->modes) * rank;
  const gsize map = (gsize) settings->columns * 2 * rank;
  AssayStream stream = assay_stream (space->key, SHARED);

  space->centres = assay_arena_alloc (arena, centres, sizeof (float), "modes", error);
  space->map = assay_arena_alloc (arena, map, sizeof (float), "map", error);
  space->latent = assay_arena_alloc (arena, 2 * rank, sizeof (float), "a row", error);
  if (arena->has_failed)
    return FALSE;
  for (gsize i = 0; i < centres; i++)
    space->centres[i] = (float) (settings->separation * assay_stream_normal (&stream));
  for (gsize i = 0; i < map; i++)
    space->map[i] = (float) (assay_stream_normal (&stream) / sqrt ((double) rank)
                             * (i % (2 * rank) < rank ? 1 : settings->nuisance));
  return TRUE;
}

/* Draws the classes of a row and the mean of a mode of each. @ret_set: the set of them, where rows
 * have several. */
static void
draw_classes (const Space *space, AssayStream *stream, gint64 *ret_label, gint64 *ret_set)
{
  const GaussianClasses *settings = space->settings;
  const gsize rank = (gsize) settings->rank;
  const gsize n = 1 + (gsize) assay_stream_below (stream, (guint64) settings->labels);
  gsize chosen[MAX_LABELS];

  assay_stream_choose (stream, (gsize) settings->classes, n, chosen);
  memset (space->latent, 0, rank * sizeof (float));
  for (gsize c = 0; c < n; c++) {
    const gsize mode = (gsize) assay_stream_below (stream, (guint64) settings->modes);
    const float *centre = space->centres + (chosen[c] * (gsize) settings->modes + mode) * rank;

    for (gsize j = 0; j < rank; j++)
      space->latent[j] += centre[j] / (float) n;
    if (settings->labels > 1)
      assay_label_set_add (ret_set, chosen[c]);
  }
  *ret_label = (gint64) chosen[0];
}

static void
draw_row (const Space *space, AssayStream *stream, float *ret_row)
{
  const gsize rank = (gsize) space->settings->rank, d = (gsize) space->settings->columns;
  float *latent = space->latent;

  for (gsize j = 0; j < rank; j++)
    latent[j] += (float) assay_stream_normal (stream);
  for (gsize j = rank; j < 2 * rank; j++)
    latent[j] = (float) assay_stream_normal (stream);
  for (gsize c = 0; c < d; c++) {
    double sum = NOISE * assay_stream_normal (stream);

    for (gsize j = 0; j < 2 * rank; j++)
      sum += (double) space->map[c * 2 * rank + j] * (double) latent[j];
    ret_row[c] = (float) sum;
  }
}

static gboolean
make_role (const Space *space, guint role, gsize count, AssayRows **ret_rows,
           AssayRoleData *ret_data, GError **error)
{
  const gsize d = (gsize) space->settings->columns;
  g_autoptr (AssayMatrix) rows = assay_matrix_new (count, d, error);
  g_autofree gint64 *labels = assay_alloc (count, sizeof *labels, "labels", error);
  const gsize words = space->settings->labels > 1
                          ? assay_label_set_words ((gsize) space->settings->classes)
                          : 1;
  g_autofree gint64 *sets = assay_alloc (count, words * sizeof *sets, "labels", error);
  GChecksum *checksum = space->checksum;

  if (rows == NULL || labels == NULL || sets == NULL)
    return FALSE;
  memset (sets, 0, count * words * sizeof *sets);
  for (gsize i = 0; i < count; i++) {
    AssayStream stream = assay_stream (space->key, ITEM (role, i));

    draw_classes (space, &stream, &labels[i], sets + i * words);
    draw_row (space, &stream, assay_matrix_row (rows, i));
  }
  g_checksum_update (checksum, (const guchar *) rows->data, (gssize) (count * d * sizeof (float)));
  g_checksum_update (checksum, (const guchar *) labels, (gssize) (count * sizeof (gint64)));
  g_checksum_update (checksum, (const guchar *) sets, (gssize) (count * words * sizeof (gint64)));
  *ret_rows = assay_rows_take_matrix (g_steal_pointer (&rows));
  ret_data->labels = assay_array_take (ASSAY_INT64, 1, &count, g_steal_pointer (&labels));
  if (space->settings->labels > 1)
    ret_data->label_sets = assay_label_sets_take (count, words, g_steal_pointer (&sets));
  return TRUE;
}

static gboolean
open_classes (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const GaussianClasses *settings = context->settings;
  g_auto (AssayArena) arena = { 0 };
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  Space space = { .settings = settings, .key = context->stream, .checksum = checksum };

  if (!make_space (&space, &arena, error)
      || !make_role (&space, SECRETS, (gsize) settings->count, &ret_dataset->secrets,
                     &ret_dataset->secret_data, error)
      || !make_role (&space, PUBLIC, (gsize) settings->public_count, &ret_dataset->public_rows,
                     &ret_dataset->public_data, error)
      || !make_role (&space, TEST, (gsize) settings->test_count, &ret_dataset->test,
                     &ret_dataset->test_data, error))
    return FALSE;
  ret_dataset->n_classes = (gsize) settings->classes;
  ret_dataset->sha256 = g_strdup (g_checksum_get_string (checksum));
  if (settings->records) {
    AssayStream stream = assay_stream (context->stream, RECORDS);
    const guint32 first = assay_stream_u32 (&stream), second = assay_stream_u32 (&stream);

    return record_copies_add (ret_dataset, settings->record_noise,
                              (AssayStreamKey){ { first, second } }, error);
  }
  return TRUE;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, G_GNUC_UNUSED GError **error)
{
  const GaussianClasses *settings = context->settings;
  const gsize records = settings->records ? (gsize) settings->count : 0;
  const gsize rows = (gsize) (settings->count + settings->public_count + settings->test_count);

  *ret_probe = (AssayProbe){
    .n_secrets = (gsize) settings->count,
    .n_public = (gsize) settings->public_count + records,
    .n_test = (gsize) settings->test_count,
    .n_classes = (gsize) settings->classes,
    .cols = (gsize) settings->columns,
    .holdings
    = ASSAY_HAS_LABELS | ASSAY_HAS_PUBLIC_LABELS | ASSAY_HAS_TEST_LABELS
      | (settings->records ? ASSAY_HAS_COUNTERPARTS : 0),
    .memory = (guint64) (rows + 2 * records) * (guint64) settings->columns * sizeof (float),
  };
  return TRUE;
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const GaussianClasses *settings = data;

  if (settings->labels > settings->classes)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "labels = %" G_GINT64_FORMAT
                       ": expected no more of a row than there are classes, %" G_GINT64_FORMAT,
                       settings->labels, settings->classes);
  if (settings->labels > 1 && settings->classes > ROW_LABELS_MAX_SET)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "classes = %" G_GINT64_FORMAT
                       ": expected at most %d where rows have several",
                       settings->classes, ROW_LABELS_MAX_SET);
  return TRUE;
}

ASSAY_DATASET (gaussian_classes, "gaussian-classes",
  .summary = "Generated feature vectors with labels, and other records of the same secrets",
  .reference = { "Assay", "mixtures of Gaussians with nuisance dimensions" },
  ASSAY_SETTINGS (GaussianClasses,
    ASSAY_PARAM_INT (GaussianClasses, count, 2000, 1, 100000000, "rows",
                     "How many rows there are to draw secrets from"),
    ASSAY_PARAM_INT (GaussianClasses, public_count, 1000, 1, 100000000, "rows",
                     "How many public rows there are, of the same classes"),
    ASSAY_PARAM_INT (GaussianClasses, test_count, 200, 1, 100000000, "rows",
                     "How many test rows there are: the queries of a search"),
    ASSAY_PARAM_INT (GaussianClasses, columns, 64, 1, 65536, "", "Numbers in a row"),
    ASSAY_PARAM_INT (GaussianClasses, classes, 10, 1, ROW_LABELS_MAX_CLASSES, "",
                     "How many classes there are"),
    ASSAY_PARAM_INT (GaussianClasses, modes, 3, 1, 1024, "",
                     "How many modes (clusters) each class has"),
    ASSAY_PARAM_INT (GaussianClasses, rank, 12, 1, 4096, "",
                     "Dimensions in which classes differ; as many again hold noise alone"),
    ASSAY_PARAM_REAL (GaussianClasses, separation, 1.5, 0, 1000, "",
                      "Standard deviation of the modes in each of these dimensions, relative to "
                      "that of a row about its mode"),
    ASSAY_PARAM_REAL (GaussianClasses, nuisance, 1.5, 0, 1000, "",
                      "Standard deviation of the noise in the other dimensions"),
    ASSAY_PARAM_INT (GaussianClasses, labels, 1, 1, MAX_LABELS, "",
                     "The most classes that a row may have: how many it has is drawn at random "
                     "from 1 to this"),
    ASSAY_PARAM_BOOL (GaussianClasses, records, FALSE,
                      "Whether public rows also hold another record of each secret"),
    ASSAY_PARAM_REAL (GaussianClasses, record_noise, 0.1, 0, 1000, "",
                      "Standard deviation of the Gaussian noise on those records, relative to that "
                      "of a column")),
  .check = check,
  .probe = probe,
  .open = open_classes);
