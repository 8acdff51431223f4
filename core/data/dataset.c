/* Cleaning up what datasets fill in, and the words for what they have. */
#include "core/data/dataset.h"

static const char *const holding_names[]
    = { "labels of the secrets",
        "keypoint frames and photographs of the secrets",
        "keypoint frames and photographs of the public rows",
        "second views of the photographs with their homographies",
        "test rows with labels",
        "rows that are images",
        "further records of the secrets among the public rows",
        "labels of the public rows (public_labels)",
        "further attributes of the secrets (attributes)",
        "further attributes of the public rows (public_attributes)",
        "a map: cameras of the photographs, and test rows with their points in space",
        "a private graph between the secrets",
        "rows of two modalities",
        "pictures that the rows are features of (features, public_features)" };

char *
assay_holdings_describe (guint holdings)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (holding_names); i++)
    if (holdings & (1u << i))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", holding_names[i]);
  return g_string_free (text, FALSE);
}

static gboolean
has_frames (const AssayRoleData *data)
{
  return data->frames != NULL && data->photos != NULL;
}

guint
assay_dataset_holdings (const AssayDataset *dataset)
{
  const AssayRoleData *known = &dataset->public_data, *test = &dataset->test_data;

  return (dataset->secret_data.labels != NULL ? ASSAY_HAS_LABELS : 0)
         | (has_frames (&dataset->secret_data) ? ASSAY_HAS_FRAMES : 0)
         | (has_frames (&dataset->public_data) ? ASSAY_HAS_PUBLIC_FRAMES : 0)
         | (dataset->homographies != NULL ? ASSAY_HAS_VIEWS : 0)
         | (dataset->test != NULL && test->labels != NULL ? ASSAY_HAS_TEST_LABELS : 0)
         | (dataset->geometry.height > 0 ? ASSAY_HAS_IMAGES : 0)
         | (dataset->counterparts != NULL ? ASSAY_HAS_COUNTERPARTS : 0)
         | (known->labels != NULL ? ASSAY_HAS_PUBLIC_LABELS : 0)
         | (dataset->secret_data.attributes != NULL ? ASSAY_HAS_ATTRIBUTES : 0)
         | (known->attributes != NULL ? ASSAY_HAS_PUBLIC_ATTRIBUTES : 0)
         | (dataset->cameras != NULL && test->points != NULL ? ASSAY_HAS_MAP : 0)
         | (dataset->edges != NULL ? ASSAY_HAS_GRAPH : 0)
         | (dataset->first_cols > 0 ? ASSAY_HAS_MODALITIES : 0)
         | (dataset->secret_data.originals != NULL && known->originals != NULL ? ASSAY_HAS_ORIGINALS
                                                                               : 0);
}

const gint64 *
assay_role_labels (const AssayRoleData *data)
{
  return data->labels != NULL ? assay_array_int64 (data->labels) : NULL;
}

const gint64 *
assay_role_pictures (const AssayRoleData *data)
{
  return data->pictures != NULL ? assay_array_int64 (data->pictures) : NULL;
}

ASSAY_CLEAR_FUNC (AssayRoleData, assay_role_data_clear, assay_drop (self->labels, assay_array_free),
                  assay_drop (self->label_sets, assay_array_free),
                  assay_drop (self->attributes, assay_array_free),
                  assay_drop (self->frames, assay_array_free),
                  assay_drop (self->pictures, assay_array_free),
                  assay_drop (self->originals, assay_rows_unref),
                  assay_drop (self->points, assay_array_free),
                  assay_drop (self->photos, g_ptr_array_unref))

ASSAY_CLEAR_FUNC (AssayDataset, assay_dataset_clear, assay_drop (self->secrets, assay_rows_unref),
                  assay_drop (self->public_rows, assay_rows_unref),
                  assay_drop (self->database, assay_rows_unref),
                  assay_drop (self->test, assay_rows_unref),
                  assay_role_data_clear (&self->secret_data),
                  assay_role_data_clear (&self->public_data),
                  assay_role_data_clear (&self->test_data), assay_drop (self->counterparts, g_free),
                  assay_drop (self->groups, g_free), assay_drop (self->attribute_names, g_strfreev),
                  assay_drop (self->edges, assay_array_free),
                  assay_drop (self->homographies, assay_array_free),
                  assay_drop (self->cameras, assay_array_free),
                  assay_drop (self->column_units, g_free), assay_drop (self->sha256, g_free))
