/* A folder of images as the rows of an audit. */
#include "cli/audit/audit-images.h"

#include "core/base/error.h"
#include "datasets/images/folder-images.h"
#include "datasets/images/normalise.h"

/* Pictures are decoded as red, green and blue: where these are the same everywhere, one of them is
 * kept. */
static void
keep_grey (AssayImages *images)
{
  const gsize n = images->count * images->height * images->width, channels = images->channels;

  for (gsize i = 0; i < n; i++)
    for (gsize c = 1; c < channels; c++)
      if (images->pixels[i * channels + c] != images->pixels[i * channels])
        return;
  for (gsize i = 0; i < n; i++)
    images->pixels[i] = images->pixels[i * channels];
  images->channels = 1;
}

gboolean
cli_audit_images_read (const char *name, const CliAuditImageForm *form, CliAuditImages *ret_images,
                       GError **error)
{
  const char *const here[] = { ".", NULL };
  const AssayImageForm read_as
      = { .size = form->size, .channels = form->channels > 0 ? form->channels : 3 };
  const AssayNormaliser unit = { .scale = ASSAY_PIXELS_UNIT };
  g_autoptr (AssayImageFolder) folder
      = assay_image_folder_find (name, here, form->classes, error);
  g_autoptr (AssayImages) images
      = folder != NULL ? assay_image_folder_read (folder, &read_as, error) : NULL;
  GPtrArray *classes;
  AssayMatrix *rows;

  if (images == NULL)
    return FALSE;
  if (form->channels == 0)
    keep_grey (images);
  rows = assay_normalise (&unit, images, name, error);
  if (rows == NULL)
    return FALSE;
  *ret_images = (CliAuditImages){ .rows = rows,
                                  .height = images->height,
                                  .width = images->width,
                                  .channels = images->channels };
  classes = form->classes != NULL ? (GPtrArray *) form->classes : folder->classes;
  if (folder->has_classes && classes->len > 1) {
    ret_images->labels = g_steal_pointer (&images->labels);
    ret_images->classes = g_ptr_array_ref (classes);
  }
  return TRUE;
}
