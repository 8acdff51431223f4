/* Files in memory, and what else the fuzz targets share. */
#include "fuzz/fuzz.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"

#define MOST_FILES 32

static struct {
  const char *name;
  GBytes *bytes;
} files[MOST_FILES];
static guint n_files;

gboolean fuzz_says_outcomes = FALSE;

static char *folder;
static const char *const *folder_names;

/* GLib ends a process by a trap where it is told to end it (g_error, a fatal critical). libFuzzer
 * takes no notice of that signal and would keep no input; it does of an abort. */
static void
abort_at_trap (int number)
{
  (void) number;
  abort ();
}

__attribute__ ((constructor)) static void
catch_traps (void)
{
  signal (SIGTRAP, abort_at_trap);
}

void
fuzz_check_outcome (gboolean is_ok, const GError *error)
{
  FUZZ_REQUIRE (is_ok == (error == NULL));
  FUZZ_REQUIRE (error == NULL || error->domain == ASSAY_ERROR);
  FUZZ_REQUIRE (error == NULL || *error->message != '\0');
  if (fuzz_says_outcomes)
    fprintf (stderr, "    %s\n", error == NULL ? "accepted" : error->message);
}

/* ---- Files ---- */

void
fuzz_files_add (const char *name, const void *data, gsize size)
{
  FUZZ_REQUIRE (n_files < MOST_FILES);
  files[n_files].name = name;
  files[n_files++].bytes = g_bytes_new (data, size);
}

void
fuzz_files_add_two (const char *const *first, const char *const *second, const void *data,
                    gsize size)
{
  const guint8 *begin = data;
  const guint8 *end = size > 0 ? memchr (data, 0xff, size) : NULL;
  const gsize length = end != NULL ? (gsize) (end - begin) : size;

  for (; *first != NULL; first++)
    fuzz_files_add (*first, data, length);
  for (; *second != NULL; second++)
    fuzz_files_add (*second, end != NULL ? end + 1 : NULL, end != NULL ? size - length - 1 : 0);
}

void
fuzz_files_forget (void)
{
  while (n_files > 0)
    g_bytes_unref (files[--n_files].bytes);
}

/* In the place of core/base/file-map.c. */
GBytes *
assay_file_map (const char *path, GError **error)
{
  for (guint i = 0; i < n_files; i++)
    if (g_str_has_suffix (path, files[i].name))
      return g_bytes_ref (files[i].bytes);
  assay_fail (error, ASSAY_ERROR_DATA, "%s: cannot be read", path);
  return NULL;
}

/* ---- The folder ---- */

static void
remove_folder (void)
{
  for (gsize i = 0; folder_names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, folder_names[i], NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

const char *
fuzz_folder (const char *const *names)
{
  if (folder != NULL)
    return folder;
  folder = g_dir_make_tmp ("assay-fuzz-XXXXXX", NULL);
  FUZZ_REQUIRE (folder != NULL);
  folder_names = names;
  for (gsize i = 0; names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    FUZZ_REQUIRE (g_file_set_contents (path, "", 0, NULL));
  }
  atexit (remove_folder);
  return folder;
}

/* ---- Inputs ---- */

guint8
fuzz_take_byte (FuzzInput *input)
{
  if (input->left == 0)
    return 0;
  input->left--;
  return *input->data++;
}

char *
fuzz_take_text (FuzzInput *input, char end)
{
  const uint8_t *at = input->left > 0 ? memchr (input->data, end, input->left) : NULL;
  const size_t length = at != NULL ? (size_t) (at - input->data) : input->left;
  char *text = g_malloc (length + 1);

  for (size_t i = 0; i < length; i++)
    text[i] = input->data[i] != 0 ? (char) input->data[i] : ' ';
  text[length] = '\0';
  input->data += length + (at != NULL);
  input->left -= length + (at != NULL);
  return text;
}
