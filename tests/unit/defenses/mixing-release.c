#include "tests/unit/defenses/mixing-release.h"

#include <criterion/criterion.h>

#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

void
mixing_made_clear (Made *made)
{
  assay_release_free (made->release);
  assay_truth_free (made->truth);
}

static AssayShape
shape_of (const Material *material)
{
  return (AssayShape){
    .n_secrets = material->secrets->rows,
    .cols = material->secrets->cols,
    .n_public = material->public_rows != NULL ? assay_rows_count (material->public_rows) : 0,
    .n_classes = material->labels != NULL ? CLASSES : 0,
    .geometry = material->geometry,
  };
}

static guint64
bytes_of_array (const AssayArray *array)
{
  return (guint64) assay_array_count (array) * assay_type_size (array->type);
}

static guint64
bytes_of (const AssayArrays *arrays)
{
  guint64 n_bytes = 0;

  for (guint i = 0; i < arrays->arrays->len; i++)
    n_bytes += bytes_of_array (arrays->arrays->pdata[i]);
  return n_bytes;
}

gboolean
mixing_try (const AssayDefense *defense, const char *assignments, const Material *material,
            Made *ret_made, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  const AssayDefenseContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (4, material->trial, "mixing", ""),
          .public_rows = material->public_rows,
          .labels = material->labels,
          .n_classes = CLASSES,
          .geometry = material->geometry };
  const AssayView secrets = assay_matrix_view (material->secrets);
  AssayShape shape = shape_of (material);
  guint64 n_bytes;

  ret_made->release = assay_release_new (defense->produces, defense->id);
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (secrets, NULL)));
  if (!defense->check (settings->values, &shape, error)
      || !defense->protect (&context, secrets, ret_made->release, ret_made->truth, error)
      || !assay_release_check (ret_made->release, error)
      || !assay_truth_check (ret_made->truth, error))
    return FALSE;
  n_bytes = bytes_of (&ret_made->release->arrays) + bytes_of (&ret_made->truth->arrays)
            - bytes_of_array (assay_arrays_get (&ret_made->truth->arrays, "secrets"));
  defense->release_shape (settings->values, &shape);
  cr_assert (assay_kind_bytes (assay_kind (defense->produces), &shape) >= n_bytes);
  cr_assert (shape.n_released == assay_release_count (ret_made->release));
  return TRUE;
}

void
mixing_make (const AssayDefense *defense, const char *assignments, const Material *material,
             Made *ret_made)
{
  g_autoptr (GError) error = NULL;

  cr_assert (mixing_try (defense, assignments, material, ret_made, &error), "%s", error->message);
}

const gint64 *
mixing_whole (const Made *made, const char *name)
{
  return assay_array_int64 (assay_arrays_get (&made->truth->arrays, name));
}

const float *
mixing_images (const Made *made)
{
  return assay_array_view (assay_arrays_get (&made->release->arrays, "images")).data;
}

const float *
mixing_coefficients (const Made *made)
{
  return assay_array_view (assay_arrays_get (&made->truth->arrays, "coefficients")).data;
}
