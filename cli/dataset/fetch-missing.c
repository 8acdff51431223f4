/* What fetching cannot do in a program that was built without libcurl or libarchive. */
#include "cli/dataset/transfer.h"
#include "core/base/error.h"

#define LACKS "because this program was built without libcurl or libarchive"

const gboolean cli_can_transfer = FALSE;

gboolean
cli_transfer (const CatalogFile *file, G_GNUC_UNUSED const char *path, G_GNUC_UNUSED int fd,
              G_GNUC_UNUSED guint64 have, G_GNUC_UNUSED guint timeout_s, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be fetched, " LACKS, file->url);
}

gboolean
cli_unpack (const char *archive, G_GNUC_UNUSED const char *const *members,
            G_GNUC_UNUSED const char *folder, G_GNUC_UNUSED gboolean may_replace, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be unpacked, " LACKS, archive);
}
