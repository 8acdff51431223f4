/* The bytes of an address, from where a partial file ends. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *url;
  const char *name;  /* for the progress on a terminal */
  const char *path;  /* of the file, for messages */
  int fd;            /* of a file that holds the first @have bytes */
  guint64 have;      /* 0: all of it is asked for */
  guint64 size;      /* what it must have, or the most that it may have */
  gboolean is_exact; /* which of the two */
  guint timeout_s;   /* to connect, and for pauses in what comes */
} CliTransfer;

/* Whether the program was built with libcurl. */
gboolean cli_transfer_is_there (void);

/* Appends what lacks, or begins again where the server knows no ranges. On an error the file keeps
 * what has come: ASSAY_ERROR_DATA (the address is wrong, or what is there is not what was
 * expected), ASSAY_ERROR_IO (it may work another time), ASSAY_ERROR_CANCELLED. */
gboolean cli_transfer (const CliTransfer *transfer, GError **error);

G_END_DECLS
