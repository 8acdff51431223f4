/* Keys on disk. */
#include "core/crypto/key-folder.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/data/secret-paths.h"

#define FIRST_LINE "assay paillier key 1"
#define N_LINES 5
#define MAX_LENGTH 4096 /* a key of 3072 bits has 850 bytes */
#define OTHERS (S_IRWXG | S_IRWXO)

/* What stands behind "NAME " in a line, or NULL. */
static const char *
value_of (const char *line, const char *name)
{
  const gsize length = strlen (name);

  return g_str_has_prefix (line, name) && line[length] == ' ' ? line + length + 1 : NULL;
}

static gboolean
parse_factor (const char *line, const char *name, mpz_t ret_factor)
{
  const char *digits = value_of (line, name);

  return digits != NULL && digits[0] != '\0'
         && strspn (digits, "0123456789abcdef") == strlen (digits)
         && mpz_set_str (ret_factor, digits, 16) == 0;
}

static AssayPaillierKey *
parse_lines (char **lines, const char *name, GError **error)
{
  const char *bits_text, *randomness;
  AssayPaillierKey *key;
  guint64 bits;
  g_auto (mpz_t) p, q;

  assay_number_init (p, 8 * MAX_LENGTH);
  assay_number_init (q, 8 * MAX_LENGTH);
  if (strcmp (lines[0], FIRST_LINE) != 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s:1: expected '%s'", name, FIRST_LINE);
  bits_text = value_of (lines[1], "bits");
  if (bits_text == NULL || !g_ascii_string_to_unsigned (bits_text, 10, 1, 65536, &bits, NULL)
      || !assay_paillier_check_bits ((guint) bits, NULL))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s:2: expected 'bits' with 1024, 2048 or 3072", name);
  randomness = value_of (lines[2], "randomness");
  if (g_strcmp0 (randomness, "system") != 0 && g_strcmp0 (randomness, "stream") != 0)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s:3: expected 'randomness' with system or stream", name);
  if (!parse_factor (lines[3], "p", p) || !parse_factor (lines[4], "q", q))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s:4: expected two lines 'p' and 'q' with a hexadecimal number each",
                            name);
  key = assay_paillier_key_from_factors ((guint) bits, p, q, g_str_equal (randomness, "stream"),
                                         error);
  if (key == NULL)
    return assay_prefix_null (error, "%s: ", name);
  return key;
}

AssayPaillierKey *
assay_key_folder_parse (const char *text, gsize length, const char *name, GError **error)
{
  AssayPaillierKey *key = NULL;
  char *copy, *next;
  char *lines[N_LINES];
  gsize n_lines = 0;

  if (length > MAX_LENGTH || memchr (text, '\0', length) != NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: not a file with a Paillier key", name);
  copy = g_strndup (text, length);
  next = copy;
  while (n_lines < N_LINES && *next != '\0') {
    lines[n_lines++] = next;
    next += strcspn (next, "\n");
    if (*next == '\n')
      *next++ = '\0';
  }
  if (n_lines == N_LINES && *next == '\0')
    key = parse_lines (lines, name, error);
  else
    assay_error_set (error, ASSAY_ERROR_DATA, "%s: a key has %d lines", name, N_LINES);
  explicit_bzero (copy, length);
  g_free (copy);
  return key;
}

/* That @path is the caller's alone. */
static gboolean
check_private (const char *path, gboolean is_folder, GError **error)
{
  GStatBuf about;

  if (g_stat (path, &about) != 0 || S_ISDIR (about.st_mode) != is_folder)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: there is no such %s", path,
                       is_folder ? "folder" : "file");
  if ((about.st_mode & OTHERS) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s can be read by others (mode %04o): a key is its owner's alone; chmod "
                       "%s '%s', or better take a new key",
                       path, about.st_mode & 07777, is_folder ? "700" : "600", path);
  return TRUE;
}

AssayPaillierKey *
assay_key_folder_load (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_KEY_FILE, NULL);
  g_autoptr (GBytes) bytes = NULL;
  gsize length;
  const char *text;

  /* Programs under audit are started by its owner. */
  assay_secret_path_add (folder);
  if (!check_private (folder, TRUE, error) || !check_private (path, FALSE, error))
    return NULL;
  bytes = assay_file_map (path, error);
  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return assay_key_folder_parse (text != NULL ? text : "", length, path, error);
}
