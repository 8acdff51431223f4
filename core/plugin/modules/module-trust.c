/* Whose code a plugin compiled elsewhere is. */
#include "core/plugin/modules/module-trust.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

static gboolean
check_place (const char *place, GError **error)
{
  struct stat about;
  gboolean by_others;

  if (stat (place, &about) != 0)
    return TRUE; /* whoever opens it says so */
  if (about.st_uid != 0 && about.st_uid != geteuid ())
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "is not loaded: %s belongs to another user (number %u), who could put other "
                       "code there; expected a place of yours or of root",
                       place, about.st_uid);
  by_others
      = (about.st_mode & S_IWOTH) != 0
        || ((about.st_mode & S_IWGRP) != 0 && about.st_gid != 0 && about.st_gid != getegid ());
  return !by_others || (S_ISDIR (about.st_mode) && (about.st_mode & S_ISVTX) != 0)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "is not loaded: %s can be written by others (mode %04o), who could put "
                        "other code there; expected chmod go-w",
                        place, about.st_mode & 07777);
}

gboolean
assay_module_check_trust (const char *path, GError **error)
{
  g_autofree char *place = g_strdup (path);

  while (check_place (place, error)) {
    char *above;

    if (strcmp (place, "/") == 0)
      return TRUE;
    above = g_path_get_dirname (place);
    g_free (place);
    place = above;
  }
  return FALSE;
}
