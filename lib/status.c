/* Status and messages, and what belongs to no step. */
#include "lib/status.h"

#include "config.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/plugin/modules/module-loader.h"
#include "lib/assay.h"

static GPrivate message = G_PRIVATE_INIT (g_free);

static int
status_of (const GError *error)
{
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return ASSAY_API_CANCELLED;
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC))
    return ASSAY_API_NUMERIC;
  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_IO)
                 || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY)
             ? ASSAY_API_UNFINISHED
             : ASSAY_API_BAD_INPUT;
}

int
assay_lib_fail (GError *error)
{
  const int status = status_of (error);

  g_private_replace (&message, g_strdup (error->message));
  g_error_free (error);
  return status;
}

void
assay_lib_begin (void)
{
  g_private_replace (&message, NULL);
}

const char *
assay_api_message (void)
{
  const char *text = g_private_get (&message);

  return text != NULL ? text : "";
}

const char *
assay_api_version (void)
{
  return ASSAY_VERSION;
}

void
assay_api_free (void *text)
{
  g_free (text);
}

void
assay_api_set_threads (unsigned threads)
{
  assay_parallel_set_threads (threads);
}

int
assay_api_load_plugins (const char *path)
{
  g_auto (GStrv) refusals = NULL;
  g_autofree char *all = NULL;
  GError *error = NULL;

  assay_lib_begin ();
  refusals = assay_modules_load (path, NULL);
  if (refusals == NULL)
    return ASSAY_API_OK;
  all = g_strjoinv ("\n", refusals);
  assay_error_set (&error, ASSAY_ERROR_PARAMETER, "plugin refused: %s", all);
  return assay_lib_fail (error);
}
