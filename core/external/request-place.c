/* Where the folders of requests to programs of others are. */
#include "core/external/request-place.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/external/tree.h"

#define PLACE "assay-requests-%u" /* of that user */
#define FOLDER "assay-exec-XXXXXX"
#define OTHERS 077
#define N_TRIES 100 /* as often may another process remove the place before something is in it */

char *
assay_request_place (void)
{
  char *real = realpath (g_get_tmp_dir (), NULL);
  g_autofree char *name = g_strdup_printf (PLACE, (guint) geteuid ());
  char *place = g_build_filename (real != NULL ? real : g_get_tmp_dir (), name, NULL);

  free (real);
  return place;
}

/* In a folder of temporary files that all may write to, another could have made it, or a link. */
static gboolean
check_own (const char *place, GError **error)
{
  struct stat about;

  if (lstat (place, &about) == 0
      && (!S_ISDIR (about.st_mode) || about.st_uid != geteuid () || (about.st_mode & OTHERS) != 0))
    return assay_fail (error, ASSAY_ERROR_IO,
                       "%s is not a folder of this user's alone; expected one of mode 0700, or "
                       "another folder for temporary files (TMPDIR)",
                       place);
  return TRUE;
}

char *
assay_request_place_add (GError **error)
{
  g_autofree char *place = assay_request_place ();
  g_autofree char *folder = NULL;
  int problem = ENOENT;

  for (guint i = 0; problem == ENOENT && i < N_TRIES; i++) {
    g_free (folder);
    folder = g_build_filename (place, FOLDER, NULL);
    problem = g_mkdir (place, 0700) != 0 && errno != EEXIST ? errno
              : g_mkdtemp (folder) == NULL                  ? errno
                                                            : 0;
  }
  /* After the folder was made: from then on the place stays what it is. */
  if (!check_own (place, error)) {
    if (problem == 0)
      g_rmdir (folder);
    return NULL;
  }
  if (problem != 0)
    return assay_fail_null (error, ASSAY_ERROR_IO, "a temporary folder for the program in %s: %s",
                            place, g_strerror (problem));
  return g_steal_pointer (&folder);
}

void
assay_request_place_remove (const char *folder)
{
  g_autofree char *place = g_path_get_dirname (folder);

  assay_tree_remove (folder);
  g_rmdir (place);
}
