/* What a defense made of secrets. */
#include "runner/run/made.h"

#include <string.h>

#include "core/base/shared-work.h"

void
made_free (gpointer data)
{
  Made *made = data;

  assay_release_free (made->release);
  assay_truth_free (made->truth);
  g_clear_pointer (&made->repeats, g_ptr_array_unref);
  assay_own_store_free (made->own);
  g_clear_pointer (&made->records, assay_rows_unref);
  assay_role_data_clear (&made->record_data);
  assay_release_free (made->crossed);
  assay_own_release_free (made->known);
  g_clear_error (&made->error);
  g_free (made);
}

gsize
made_bytes (const Made *made)
{
  gsize bytes = sizeof *made + assay_own_store_bytes (made->own);

  if (made->release != NULL)
    bytes += assay_arrays_bytes (&made->release->arrays);
  if (made->truth != NULL)
    bytes += assay_arrays_bytes (&made->truth->arrays);
  if (made->known != NULL)
    bytes += assay_arrays_bytes (&made->known->release->arrays)
             + assay_arrays_bytes (&made->known->known);
  if (made->crossed != NULL)
    bytes += assay_arrays_bytes (&made->crossed->arrays);
  for (guint i = 0; made->repeats != NULL && i < made->repeats->len; i++)
    bytes += assay_arrays_bytes (&((const AssayRelease *) made->repeats->pdata[i])->arrays);
  return bytes;
}

static gboolean
are_equal (const AssayArray *a, const AssayArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->type == b->type && assay_array_count (a) == assay_array_count (b)
         && memcmp (a->data, b->data, assay_array_count (a) * assay_type_size (a->type)) == 0;
}

gboolean
made_equals (const AssayRelease *a, const AssayRelease *b)
{
  if (a->kind != b->kind)
    return FALSE;
  for (const AssayArraySpec *spec = assay_kind (a->kind)->arrays; spec->name != NULL; spec++)
    if (!are_equal (assay_arrays_get (&a->arrays, spec->name),
                    assay_arrays_get (&b->arrays, spec->name)))
      return FALSE;
  return TRUE;
}

/* ---- Known rows ---- */

/* Rows of the attacker's own that are in the release under attack (key `known_rows`): people whom
 * they know, or themselves. What a defense learns or draws once for all of a release (principal
 * components that are fitted to it, say) is in no other release, so that nothing that the attacker
 * runs shows it; these rows do.
 *
 * Public rows that are of nobody among the secrets are protected together with these, in random
 * order. The items of the secrets are then the release under attack, and those of the known rows
 * pairs; a known row is no secret, and nobody wins by it. */
typedef struct {
  gsize n;       /* secrets */
  gsize total;   /* with the known rows */
  gsize *rows;   /* public rows that are known; total - n */
  gsize *places; /* of secrets, and then of known rows, in what is protected */
  AssayMatrix *all;
  gint64 *labels; /* of all, or NULL */
  gint64 *attributes;
} Mixed;

ASSAY_LOCAL_CLEAR (Mixed, mixed_clear, g_free (self->rows), g_free (self->places),
                   g_free (self->labels), g_free (self->attributes), assay_matrix_free (self->all))

/* Further records of people who may be secrets are left alone. */
static gboolean
choose_rows (const AssayReleaseTerms *terms, AssayStream *stream, Mixed *mixed, GError **error)
{
  const AssayDataset *dataset = terms->dataset;
  const gsize n_public = dataset->public_rows != NULL ? assay_rows_count (dataset->public_rows) : 0;
  g_autofree guint8 *is_taken = g_new0 (guint8, n_public + 1);
  g_autofree gsize *order = g_new (gsize, n_public + 1);
  gsize count = 0;

  for (gsize i = 0; dataset->counterparts != NULL && i < assay_rows_count (dataset->secrets); i++)
    is_taken[dataset->counterparts[i]] = 1;
  assay_stream_permutation (stream, n_public, order);
  mixed->rows = g_new (gsize, terms->known);
  for (gsize i = 0; i < n_public && count < terms->known; i++)
    if (!is_taken[order[i]])
      mixed->rows[count++] = order[i];
  return count == terms->known
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "known_rows = %zu: the dataset has %zu public rows that are of nobody "
                        "among the secrets; expected as many at least",
                        terms->known, count);
}

/* Numbers of @size bytes of the secrets and of the known rows, each in its place. NULL unless both
 * are known. */
static gpointer
mix (const Mixed *mixed, gconstpointer of_secrets, const AssayArray *of_public, gsize size)
{
  guint8 *all;

  if (of_secrets == NULL || of_public == NULL)
    return NULL;
  all = g_malloc (mixed->total * size);
  for (gsize i = 0; i < mixed->total; i++)
    memcpy (all + mixed->places[i] * size,
            i < mixed->n ? (const guint8 *) of_secrets + i * size
                         : of_public->data + mixed->rows[i - mixed->n] * size,
            size);
  return all;
}

static gboolean
mix_all (const AssayReleaseTerms *terms, const AssaySecrets *secrets, Mixed *mixed, GError **error)
{
  const AssayRoleData *known = &terms->dataset->public_data;
  const gsize d = secrets->rows.cols;
  g_autoptr (AssayMatrix) others = assay_matrix_new (terms->known, d, error);

  mixed->all = others != NULL ? assay_matrix_new (mixed->total, d, error) : NULL;
  if (mixed->all == NULL)
    return FALSE;
  assay_rows_gather (terms->dataset->public_rows, mixed->rows, terms->known, ASSAY_SCALE_NONE,
                     others->data);
  for (gsize i = 0; i < mixed->total; i++)
    memcpy (assay_matrix_row (mixed->all, mixed->places[i]),
            i < mixed->n ? assay_view_row (secrets->rows, i)
                         : assay_matrix_row (others, i - mixed->n),
            d * sizeof (float));
  mixed->labels = mix (mixed, secrets->labels, known->labels, sizeof (gint64));
  mixed->attributes = mix (mixed, secrets->attributes, known->attributes,
                           secrets->n_attributes * sizeof (gint64));
  return TRUE;
}

/* The rows @places (@count) of an array of all. */
static AssayArray *
pick (const AssayArray *array, const gsize *places, gsize count)
{
  const gsize bytes = assay_array_count (array) * assay_type_size (array->type);
  const gsize size = array->shape[0] > 0 ? bytes / array->shape[0] : 0;
  gsize shape[ASSAY_MAX_DIMENSIONS];
  guint8 *numbers = g_malloc (count * size + 1);

  memcpy (shape, array->shape, sizeof shape);
  shape[0] = count;
  for (gsize i = 0; i < count; i++)
    memcpy (numbers + i * size, array->data + places[i] * size, size);
  return assay_array_take (array->type, array->n_dimensions, shape, numbers);
}

/* What is of all items is shared. */
static AssayRelease *
pick_release (const AssayRelease *all, const gsize *places, gsize count)
{
  AssayRelease *picked
      = assay_release_granted (all, G_MAXUINT & ~(guint) ASSAY_GRANT_NO_PARAMETERS);

  for (const AssayArraySpec *spec = assay_kind (all->kind)->arrays; spec->name != NULL; spec++) {
    const AssayArray *array = assay_arrays_get (&all->arrays, spec->name);

    if (array != NULL && spec->dimensions[0] == 'n')
      assay_arrays_take (&picked->arrays, spec->name, pick (array, places, count));
  }
  g_free (picked->settings);
  picked->settings = g_strdup (all->settings);
  picked->owner = assay_shared_owner ();
  picked->is_copy = FALSE;
  return picked;
}

/* Of kinds with an item for each secret, all that games know is of a secret each. */
static AssayTruth *
pick_truth (const AssayTruth *all, const gsize *places, gsize count)
{
  AssayTruth *picked = assay_truth_new ();

  picked->geometry = all->geometry;
  picked->says = g_strdup (all->says);
  for (guint i = 0; i < all->arrays.names->len; i++)
    assay_arrays_take (&picked->arrays, all->arrays.names->pdata[i],
                       pick (all->arrays.arrays->pdata[i], places, count));
  return picked;
}

/* The truth of the secrets has what is known of them alone, too. */
static gboolean
take_apart (const Mixed *mixed, const AssaySecrets *secrets, const AssayRelease *release,
            const AssayTruth *truth, Made *made, GError **error)
{
  const gsize n = mixed->n, known = mixed->total - n;
  g_autoptr (AssayTruth) whole = assay_truth_of (secrets, error);

  if (whole == NULL)
    return FALSE;
  made->release = pick_release (release, mixed->places, n);
  made->truth = pick_truth (truth, mixed->places, n);
  for (guint i = 0; i < whole->arrays.names->len; i++) {
    const char *name = whole->arrays.names->pdata[i];

    /* What is there is in the form in which the defense protects it. */
    if (assay_arrays_get (&made->truth->arrays, name) == NULL)
      assay_arrays_take (&made->truth->arrays, name,
                         assay_array_copy (whole->arrays.arrays->pdata[i]));
  }
  made->known = assay_own_release_new (pick_release (release, mixed->places + n, known),
                                       pick_truth (truth, mixed->places + n, known),
                                       g_memdup2 (mixed->rows, known * sizeof (gsize)));
  return TRUE;
}

static gboolean
protect_known (const AssayReleaseTerms *terms, const AssayProtecting *how,
               const AssaySecrets *secrets, Made *made, GError **error)
{
  const AssayComponent *component = assay_plan_defense (terms->plan, terms->cell);
  AssayStream stream = assay_stream (how->stream, G_MAXUINT32);
  g_auto (Mixed) mixed = { .n = secrets->rows.rows, .total = secrets->rows.rows + terms->known };
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  AssaySecrets all = { .n_attributes = secrets->n_attributes,
                       .n_classes = secrets->n_classes,
                       .geometry = secrets->geometry,
                       .position = secrets->position };

  mixed.places = g_new (gsize, mixed.total);
  assay_stream_permutation (&stream, mixed.total, mixed.places);
  if (!choose_rows (terms, &stream, &mixed, error) || !mix_all (terms, secrets, &mixed, error))
    return FALSE;
  all.rows = assay_matrix_view (mixed.all);
  all.labels = mixed.labels;
  all.attributes = mixed.attributes;
  return assay_step_protect (component->defense, how, &all, &release, &truth, error)
         && take_apart (&mixed, secrets, release, truth, made, error);
}

/* ---- Releases ---- */

gboolean
made_protect (const AssayReleaseTerms *terms, gsize repeat, Made *made, GError **error)
{
  const AssayComponent *component = assay_plan_defense (terms->plan, terms->cell);
  const AssayStreamKey common = assay_release_terms_stream (terms, "defense");
  const AssayProtecting how
      = { .settings = component->settings,
          .stream
          = repeat > 0 ? assay_release_terms_stream (terms, "defense-repeat-%zu", repeat) : common,
          .common = common,
          .knowledge = terms->knowledge };
  AssaySecrets secrets = *terms->secrets;

  secrets.position = assay_release_terms_position (terms, repeat);
  return terms->known > 0 ? protect_known (terms, &how, &secrets, made, error)
                          : assay_step_protect (component->defense, &how, &secrets, &made->release,
                                                &made->truth, error);
}
