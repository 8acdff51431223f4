/* What the fuzz targets share. A target is one file that defines LLVMFuzzerTestOneInput: libFuzzer
 * calls it with inputs that it makes up (fuzz/run), and replay.c with the files of the
 * corpora, so that what was once found stays mended.
 *
 * Readers take paths. Here their files are in memory: files.c stands in the place of
 * core/base/file-map.c. */
#pragma once

#include <glib.h>

#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Ends the process with @condition in the message, whatever assertions are compiled into. */
#define FUZZ_REQUIRE(condition)                                                                    \
  do {                                                                                             \
    if (G_UNLIKELY (!(condition)))                                                                 \
      g_error ("%s:%d: %s", __FILE__, __LINE__, #condition);                                       \
  } while (0)

/* That @error is set exactly when @is_ok is FALSE, is of Assay's domain, and has a message in UTF-8
 * that says something. */
void fuzz_check_outcome (gboolean is_ok, const GError *error);

/* Whether fuzz_check_outcome says on stderr what came of an input: what to name it by. */
extern gboolean fuzz_says_outcomes;

/* A folder in which the empty files @names stand, for readers that look whether a file is there
 * before they map it; made once, removed at the end of the process. */
const char *fuzz_folder (const char *const *names);

/* What readers find in files whose name ends in @name, until the next fuzz_files_forget. The bytes
 * are copied, so that reading beyond them is seen. */
void fuzz_files_add (const char *name, const void *data, gsize size);
void fuzz_files_forget (void);
/* The same of two groups of names (NULL ends each): the files of the first hold what stands before
 * the first byte 0xff, which is in no text, those of the other what is behind it. */
void fuzz_files_add_two (const char *const *first, const char *const *second, const void *data,
                         gsize size);

/* Takes bytes from the front of an input; 0 where it has ended. */
typedef struct {
  const uint8_t *data;
  size_t left;
} FuzzInput;

guint8 fuzz_take_byte (FuzzInput *input);
/* Up to and without the next @end byte, which is passed over; all that is left if there is none.
 * NUL bytes become spaces unless @end is one. */
char *fuzz_take_text (FuzzInput *input, char end);

G_END_DECLS
