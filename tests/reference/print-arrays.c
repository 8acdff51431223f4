/* What our reader makes of .npy files, for tests/reference/npy-against-numpy.py: a path a line
 * comes in, and a line a path goes out, "float32 (3,4) SHA256" of the numbers, or
 * "refused MESSAGE". */
#include <stdio.h>
#include <string.h>

#include "core/data/npy.h"

static void
print (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayArray) array = assay_npy_map (path, &error);
  g_autofree char *digest = NULL;

  if (array == NULL) {
    printf ("refused %s\n", error->message);
    return;
  }
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, array->data,
                                        assay_array_count (array) * assay_type_size (array->type));
  printf ("%s (", assay_type_name (array->type));
  for (guint i = 0; i < array->n_dimensions; i++)
    printf ("%zu,", array->shape[i]);
  printf (") %s\n", digest);
}

int
main (void)
{
  char path[4096];

  while (fgets (path, sizeof path, stdin) != NULL) {
    path[strcspn (path, "\n")] = '\0';
    print (path);
  }
  return 0;
}
