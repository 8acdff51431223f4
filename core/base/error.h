/* The one error domain of Assay. Library code reports through GError and never prints or exits;
 * context is prefixed on the way up ("attack database: database.npy: ..."). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_ERROR (assay_error_quark ())

typedef enum {
  ASSAY_ERROR_SCENARIO,       /* a scenario, option or plan that cannot be run as written */
  ASSAY_ERROR_UNKNOWN_PLUGIN, /* a plugin name that the registry does not have */
  ASSAY_ERROR_PARAMETER,      /* a setting of the wrong type, out of range or unknown */
  ASSAY_ERROR_MISMATCH,       /* parts that do not fit: kinds, grants, dimensions */
  ASSAY_ERROR_DATA,           /* an input file or its content */
  ASSAY_ERROR_NUMERIC,        /* a computation that has no finite answer */
  ASSAY_ERROR_IO,             /* output could not be written */
  ASSAY_ERROR_MEMORY,         /* more memory than there is */
  ASSAY_ERROR_CANCELLED,      /* the caller asked to stop */
} AssayErrorCode;

GQuark assay_error_quark (void);

void assay_error_set (GError **error, AssayErrorCode code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Sets @error and is FALSE, so that a check reads as one line. A macro, so that compilers and
 * static analysers see the FALSE. */
#define assay_fail(...) (assay_error_set (__VA_ARGS__), assay_false ())
/* The same where a pointer is returned. */
#define assay_fail_null(...) (assay_error_set (__VA_ARGS__), NULL)
/* Puts context before @error, and is FALSE or NULL. */
#define assay_prefix(...) (g_prefix_error (__VA_ARGS__), assay_false ())
#define assay_prefix_null(...) (g_prefix_error (__VA_ARGS__), NULL)

static inline gboolean
assay_false (void)
{
  return FALSE;
}

G_END_DECLS
