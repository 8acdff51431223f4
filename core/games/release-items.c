/* The items of a release so that they can be changed. */
#include "core/games/release-items.h"

#include <string.h>

#include "core/data/codes.h"

/* The first array of each kind that has one item in each row. */
static const struct {
  AssayReleaseKind kind;
  const char *name;
} arrays[] = {
  { ASSAY_RELEASE_VECTORS, "vectors" },  { ASSAY_RELEASE_SUBSPACES, "translation" },
  { ASSAY_RELEASE_MIXTURES, "images" },  { ASSAY_RELEASE_CODES, "codes" },
  { ASSAY_RELEASE_VECTOR_SETS, "sets" },
};

static const char *
name_of (AssayReleaseKind kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    if (arrays[i].kind == kind)
      return arrays[i].name;
  return NULL;
}

static void
take_owners (AssayReleaseItems *items, const AssayTruth *truth)
{
  const AssayArray *owners = assay_arrays_get (&truth->arrays, "owners");
  const AssayArray *sources = assay_arrays_get (&truth->arrays, "sources");

  items->owner_step = 1;
  if (owners != NULL) {
    items->owners = assay_array_int64 (owners);
  } else if (sources != NULL) {
    items->owners = assay_array_int64 (sources);
    items->owner_step = sources->shape[1];
  }
}

/* The data of @array in memory of their own. */
static gpointer
copy_of (const AssayArray *array)
{
  return g_memdup2 (array->data, assay_array_count (array) * assay_type_size (array->type));
}

/* What of the kind's own is needed beside the items. FALSE: it is not there. */
static gboolean
take_items (AssayReleaseItems *items, const AssayArray *array, const AssayRelease *release,
            const AssayTruth *truth)
{
  const AssayArray *kept = assay_arrays_get (&truth->arrays, "codes");
  const AssayArray *dictionary = assay_arrays_get (&release->arrays, "dictionary");

  items->width = array->shape[1];
  if (release->kind == ASSAY_RELEASE_CODES) {
    if (kept == NULL || assay_array_count (kept) != assay_array_count (array))
      return FALSE;
    items->kept = kept->data;
    items->codes = copy_of (array);
    return TRUE;
  }
  if (release->kind == ASSAY_RELEASE_VECTOR_SETS) {
    items->dictionary = assay_array_view (dictionary);
    if (items->dictionary.cols != items->cols)
      return FALSE;
    items->sets = copy_of (array);
    return TRUE;
  }
  if (items->width != items->cols)
    return FALSE;
  items->rows = copy_of (array);
  return TRUE;
}

gboolean
assay_release_items_take (AssayReleaseItems *ret_items, const AssayRelease *release,
                          const AssayTruth *truth)
{
  const AssayArray *secrets = assay_arrays_get (&truth->arrays, "secrets");
  const char *name = name_of (release->kind);
  const AssayArray *array = name != NULL ? assay_arrays_get (&release->arrays, name) : NULL;
  AssayReleaseItems items = { .name = name };

  if (array == NULL || secrets == NULL)
    return FALSE;
  items.n = array->shape[0];
  items.n_secrets = secrets->shape[0];
  items.secrets = assay_array_view (secrets).data;
  items.cols = assay_array_view (secrets).cols;
  take_owners (&items, truth);
  if ((items.owners == NULL && items.n != items.n_secrets)
      || !take_items (&items, array, release, truth))
    return FALSE;
  *ret_items = items;
  return TRUE;
}

void
assay_release_items_give (AssayReleaseItems *items, AssayRelease *release)
{
  const gsize shape[] = { items->n, items->width };
  const AssayType type = items->rows != NULL    ? ASSAY_FLOAT32
                         : items->codes != NULL ? ASSAY_UINT8
                                                : ASSAY_INT64;
  const gpointer data = items->rows != NULL    ? (gpointer) items->rows
                        : items->codes != NULL ? (gpointer) items->codes
                                               : (gpointer) items->sets;

  assay_arrays_take (&release->arrays, items->name, assay_array_take (type, 2, shape, data));
}

const float *
assay_release_items_secret (const AssayReleaseItems *items, gsize i)
{
  const gint64 owner = items->owners != NULL ? items->owners[i * items->owner_step] : (gint64) i;

  return owner >= 0 && (gsize) owner < items->n_secrets ? items->secrets + owner * items->cols
                                                        : NULL;
}

static gboolean
restore_bits (AssayReleaseItems *items, gsize i, double share, AssayStream *stream)
{
  guint8 *code = items->codes + i * items->width;
  const guint8 *kept = items->kept + i * items->width;
  gboolean is_changed = FALSE;

  for (gsize bit = 0; bit < 8 * items->width; bit++) {
    const guint8 mask = (guint8) (1 << (bit % 8));

    if (((code[bit / 8] ^ kept[bit / 8]) & mask) && assay_stream_uniform (stream) < share) {
      code[bit / 8] ^= mask;
      is_changed = TRUE;
    }
  }
  return is_changed;
}

/* The entries nearest to @secret, by a place in an ascending list each. */
static void
fill_nearest (AssayReleaseItems *items, gsize i, const float *secret)
{
  g_autofree double *best = g_new (double, items->width);
  gint64 *set = items->sets + i * items->width;
  gsize n = 0;

  for (gsize k = 0; k < items->dictionary.rows; k++) {
    const float *entry = assay_view_row (items->dictionary, k);
    double square = 0;
    gsize at;

    for (gsize c = 0; c < items->cols; c++)
      square += ((double) entry[c] - secret[c]) * ((double) entry[c] - secret[c]);
    if (n == items->width && square >= best[n - 1])
      continue;
    n += n < items->width;
    for (at = n - 1; at > 0 && best[at - 1] > square; at--) {
      best[at] = best[at - 1];
      set[at] = set[at - 1];
    }
    best[at] = square;
    set[at] = (gint64) k;
  }
}

gboolean
assay_release_items_reveal (AssayReleaseItems *items, gsize i, double share, AssayStream *stream)
{
  const float *secret = assay_release_items_secret (items, i);

  if (secret == NULL)
    return FALSE;
  if (items->codes != NULL)
    return restore_bits (items, i, share, stream);
  if (items->sets != NULL) {
    fill_nearest (items, i, secret);
    return TRUE;
  }
  for (gsize c = 0; c < items->cols; c++) {
    float *number = items->rows + i * items->cols + c;

    *number = (float) (*number + share * ((double) secret[c] - *number));
  }
  return TRUE;
}

void
assay_release_items_copy (AssayReleaseItems *items, gsize from, gsize i)
{
  const gsize w = items->width;

  if (items->rows != NULL)
    memcpy (items->rows + i * w, items->rows + from * w, w * sizeof *items->rows);
  if (items->codes != NULL)
    memcpy (items->codes + i * w, items->codes + from * w, w * sizeof *items->codes);
  if (items->sets != NULL)
    memcpy (items->sets + i * w, items->sets + from * w, w * sizeof *items->sets);
}
