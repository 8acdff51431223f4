/* Transfers in a program that was built without libcurl. */
#include "cli/dataset/transfer.h"

#include "core/base/error.h"

gboolean
cli_transfer_is_there (void)
{
  return FALSE;
}

gboolean
cli_transfer (const CliTransfer *transfer, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: cannot be fetched, because this program was built without libcurl",
                     transfer->url);
}
