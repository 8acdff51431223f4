/* .npy files: to the bit against bytes written by hand and against NumPy itself, and every kind of
 * broken file by its message. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/data/npy.h"

#define PYTHON "/usr/bin/python3"

static char *
make_folder (void)
{
  char *folder = g_dir_make_tmp ("assay-npy-XXXXXX", NULL);

  cr_assert_not_null (folder);
  return folder;
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_rmdir (folder);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* A version 1.0 file of @header and @n_numbers bytes counting up from 0. */
static GString *
make_file (const char *header, gsize n_numbers)
{
  GString *file = g_string_new_len ("\x93NUMPY\x01\x00", 8);

  g_string_append_c (file, (char) (strlen (header) & 255));
  g_string_append_c (file, (char) (strlen (header) >> 8));
  g_string_append (file, header);
  for (gsize i = 0; i < n_numbers; i++)
    g_string_append_c (file, (char) i);
  return file;
}

static void
write_file (const char *path, const char *data, gsize length)
{
  FILE *file = g_fopen (path, "wb"); /* g_file_set_contents waits for the disk every time */

  cr_assert_not_null (file, "%s", path);
  cr_assert_eq (fwrite (data, 1, length, file), length);
  cr_assert_eq (fclose (file), 0);
}

/* Maps a file of these bytes, which has to fail with @expected after the path. */
static void
assert_refused (const char *path, const char *data, gsize length, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *message = g_strdup_printf ("%s: %s", path, expected);

  write_file (path, data, length);
  cr_assert_null (assay_npy_map (path, &error), "accepted; expected: %s", expected);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_assert_str_eq (error->message, message);
}

Test (npy, reads_a_file_written_by_hand)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  const float numbers[] = { 0, 1.5f, -2, 3e38f, 1e-45f, 0.1f };
  static const char *const headers[] = {
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
    "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"<f4\"}\n",
    /* An odd length: the numbers are not aligned in the file, but they are in memory. */
    " { 'shape' : ( 2 , 3 ) , 'descr' : '<f4' , 'fortran_order' : False }  \n",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} ",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (headers); i++)
    for (char version = 1; version <= 3; version++) {
      g_autoptr (GString) file = make_file (headers[i], 0);
      g_autoptr (AssayArray) array = NULL;
      g_autoptr (GError) error = NULL;

      if (version > 1)
        g_string_insert_len (file, 10, "\0\0", 2);
      file->str[6] = version;
      g_string_append_len (file, (const char *) numbers, sizeof numbers);
      write_file (path, file->str, file->len);
      array = assay_npy_map (path, &error);
      cr_assert_not_null (array, "header %zu: %s", i, error != NULL ? error->message : "");
      cr_assert_eq (array->type, ASSAY_FLOAT32);
      cr_assert_eq (array->n_dimensions, 2);
      cr_assert_eq (array->shape[0], 2);
      cr_assert_eq (array->shape[1], 3);
      cr_assert_eq ((gsize) array->data % sizeof (float), 0, "header %zu", i);
      cr_assert_eq (memcmp (array->data, numbers, sizeof numbers), 0, "header %zu", i);
    }
  remove_folder (folder);
}

Test (npy, writes_the_bytes_that_numpy_writes)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  g_autofree char *content = NULL;
  const gsize shape[] = { 3, 1 };
  AssayArray *array = assay_array_take (ASSAY_UINT8, 2, shape, g_memdup2 ("abc", 3));
  gsize length;
  GString *expected = g_string_new_len ("\x93NUMPY\x01\x00\x76\x00", 10);

  g_string_append (expected, "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 1), }");
  while (expected->len < 127)
    g_string_append_c (expected, ' ');
  g_string_append (expected, "\nabc");

  cr_assert (assay_npy_write (path, array, NULL));
  cr_assert (g_file_get_contents (path, &content, &length, NULL));
  cr_assert_eq (length, expected->len, "%zu", length);
  cr_assert_eq (memcmp (content, expected->str, length), 0);
  cr_assert_eq (count_files (folder), 1);
  /* A second write replaces the first. */
  cr_assert (assay_npy_write (path, array, NULL));
  cr_assert_eq (count_files (folder), 1);
  g_string_free (expected, TRUE);
  assay_array_free (array);
  remove_folder (folder);
}

#define TYPES "expected floating point of 16, 32 or 64 bits, whole numbers, or bool"
#define SHAPED(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"
#define TYPED(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2, 3), }"
#define MALFORMED(expected, found) "malformed header: expected " expected ", found " found

static const struct {
  const char *header;
  const char *message;
} header_cases[] = {
  { TYPED ("'|O'"), "holds Python objects ('|O'); " TYPES },
  { TYPED ("'O'"), "holds Python objects ('O'); " TYPES },
  { TYPED ("'<f16'"), "holds float128 ('<f16'); " TYPES },
  { TYPED ("'>c8'"), "holds big-endian complex64 ('>c8'); " TYPES },
  { TYPED ("'<i3'"), "holds int24 ('<i3'); " TYPES },
  { TYPED ("'<f44'"), "holds float ('<f44'); " TYPES },
  { TYPED ("'<c8'"), "holds complex64 ('<c8'); " TYPES },
  { TYPED ("'<U7'"), "holds text ('<U7'); " TYPES },
  { TYPED ("'|S3'"), "holds byte strings ('|S3'); " TYPES },
  { TYPED ("'<M8[ns]'"), "holds datetime64 ('<M8[ns]'); " TYPES },
  { TYPED ("'|V8'"), "holds raw records ('|V8'); " TYPES },
  { TYPED ("'float32'"), "holds float ('float32'); " TYPES },
  { TYPED ("''"), "holds an unknown type (''); " TYPES },
  { TYPED ("'?'"), "holds an unknown type ('?'); " TYPES },
  { TYPED ("[('x', '<f4'), ('y', '<f4')]"), "holds a structured type; " TYPES },
  { SHAPED ("()"), "has 0 dimensions; expected 1 to 4" },
  { SHAPED ("(1, 2, 3, 4, 5)"), "has 5 dimensions; expected 1 to 4" },
  { SHAPED ("(-2, 3)"), "has a negative size in its shape" },
  { SHAPED ("(2, -3)"), "has a negative size in its shape" },
  { SHAPED ("(99999999999999999999, 3)"), "has a size in its shape beyond 64 bits" },
  { SHAPED ("(4294967296, 4294967296)"),
    "announces float32 4294967296 x 4294967296, more than any memory holds" },
  { SHAPED ("(0, 4611686018427387904)"),
    "announces float32 0 x 4611686018427387904, more than any memory holds" },
  { SHAPED ("(2305843009213693952, 1)"),
    "announces float32 2305843009213693952 x 1, more than any memory holds" },
  { SHAPED ("(18446744073709551615, 1)"),
    "announces float32 18446744073709551615 x 1, more than any memory holds" },
  { SHAPED ("(6)"), MALFORMED ("',' after the only size of the shape", "', }'") },
  { SHAPED ("(2 3)"), MALFORMED ("',' or ')' in the shape", "'3), }'") },
  { SHAPED ("(2, 3L)"), MALFORMED ("',' or ')' in the shape", "'L), }'") },
  { SHAPED ("(,)"), MALFORMED ("a size or ')' in the shape", "',), }'") },
  { SHAPED ("(2, 0x3)"), MALFORMED ("',' or ')' in the shape", "'x3), }'") },
  { SHAPED ("[2, 3]"), MALFORMED ("a shape such as (3, 4)", "'[2, 3], }'") },
  { SHAPED ("None"), MALFORMED ("a shape such as (3, 4)", "'None, }'") },
  { TYPED ("f4"), MALFORMED ("a type such as '<f4'", "'f4, 'fortran_order':'") },
  { "{'descr: '<f4', }", MALFORMED ("':'", "'<f4', }'") },
  { "{'descr': '<f4}", MALFORMED ("a type such as '<f4'", "''<f4}'") },
  { "{'descr': '<f4' 'shape': (2, 3)}", MALFORMED ("',' or '}'", "''shape': (2, 3)}'") },
  { "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }",
    MALFORMED ("True or False", "'0, 'shape': (2, 3), '") },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } x",
    MALFORMED ("nothing but spaces after '}'", "'x'") },
  { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
    MALFORMED ("',' or '}'", "the end of the header") },
  { "{'descr' '<f4'}", MALFORMED ("':'", "''<f4'}'") },
  { "{'descr': '<f\\x34', }", MALFORMED ("a type such as '<f4'", "''<f\\x34', }'") },
  { "{'descr': '<f4\x01', }", MALFORMED ("a type such as '<f4'", "''<f4?', }'") },
  { "['descr']", MALFORMED ("'{'", "'['descr']'") },
  { "", MALFORMED ("'{'", "the end of the header") },
  { "{}", "malformed header: 'descr' is missing" },
  { "{'descr': '<f4'}", "malformed header: 'fortran_order' is missing" },
  { "{'descr': '<f4', 'fortran_order': False}", "malformed header: 'shape' is missing" },
  { "{'descr': '<f4', 'descr': '<f4'}", "malformed header: 'descr' appears twice" },
  { "{'descr': '<f4', 'colour': 'red'}", "malformed header: unknown key 'colour'" },
  { SHAPED ("(2, 3)"), NULL },
};

Test (npy, refuses_headers_by_name)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (header_cases); i++) {
    g_autoptr (GString) file = make_file (header_cases[i].header, 24);

    if (header_cases[i].message != NULL) {
      assert_refused (path, file->str, file->len, header_cases[i].message);
    } else {
      g_autoptr (AssayArray) array = NULL;

      write_file (path, file->str, file->len);
      array = assay_npy_map (path, NULL);
      cr_assert_not_null (array, "the frame of these cases is itself wrong");
    }
  }
  remove_folder (folder);
}

Test (npy, refuses_other_lengths_than_announced)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  g_autoptr (GString) file = make_file (SHAPED ("(2, 3)"), 24);

  cr_assert_eq (file->len, 93);
  assert_refused (path, file->str, file->len - 1,
                  "truncated: the header announces float32 2 x 3, expected 93 bytes, found 92");
  assert_refused (path, file->str, file->len - 24,
                  "truncated: the header announces float32 2 x 3, expected 93 bytes, found 69");
  assert_refused (path, file->str, 40,
                  "truncated: a header of 59 bytes is announced, 30 bytes are left");
  assert_refused (path, file->str, 9, "truncated in its first 10 bytes");
  assert_refused (path, file->str, 7, "truncated in its first 8 bytes");
  assert_refused (path, file->str, 5, "is not a .npy file: the NumPy magic is missing");
  assert_refused (path, file->str, 0, "is empty");
  g_string_append_c (file, 'x');
  assert_refused (path, file->str, file->len,
                  "too long: the header announces float32 2 x 3, expected 93 bytes, found 94");
  file->str[6] = 2;
  assert_refused (path, file->str, file->len,
                  "truncated: a header of 662372411 bytes is announced, 82 bytes are left");
  assert_refused (path, file->str, 11, "truncated in its first 12 bytes");
  file->str[6] = 4;
  assert_refused (path, file->str, file->len,
                  "has .npy format version 4.0; expected 1.0, 2.0 or 3.0");
  file->str[6] = 1;
  file->str[7] = 1;
  assert_refused (path, file->str, file->len,
                  "has .npy format version 1.1; expected 1.0, 2.0 or 3.0");
  file->str[0] = 'N';
  assert_refused (path, file->str, file->len, "is not a .npy file: the NumPy magic is missing");
  remove_folder (folder);
}

Test (npy, an_empty_array_is_an_array)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  g_autoptr (GString) file = make_file (SHAPED ("(0, 3)"), 0);
  g_autoptr (AssayArray) array = NULL;

  write_file (path, file->str, file->len);
  array = assay_npy_map (path, NULL);
  cr_assert_not_null (array);
  cr_assert_eq (assay_array_count (array), 0);
  cr_assert_eq (array->shape[1], 3);
  remove_folder (folder);
}

/* Every file one byte away from a good one is either refused with a message or is an array whose
 * numbers lie in the file. The array is read, so that AddressSanitizer sees what is out of it. */
Test (npy, survives_every_single_byte_change)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  g_autoptr (GString) good = make_file (SHAPED ("(2, 3)"), 24);
  static const char replacements[] = "\0\x01\xff'\"{}(),:-0189<>|fiuO \n";

  for (gsize at = 0; at < good->len - 24; at++)
    for (gsize r = 0; r < sizeof replacements - 1; r++) {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayArray) array = NULL;
      const char before = good->str[at];

      good->str[at] = replacements[r];
      write_file (path, good->str, good->len);
      good->str[at] = before;
      array = assay_npy_map (path, &error);
      cr_assert ((array == NULL) == (error != NULL), "byte %zu", at);
      cr_assert (array != NULL || before != replacements[r], "byte %zu is good", at);
      if (array != NULL) {
        const gsize size = assay_array_count (array) * assay_type_size (array->type);
        guint sum = 0;

        cr_assert_eq (assay_array_count (array), 6, "byte %zu", at);
        for (gsize i = 0; i < size; i++)
          sum += array->data[i];
        cr_assert_eq (sum, 23 * 24 / 2, "byte %zu", at); /* in any type and order of bytes */
      }
    }
  remove_folder (folder);
}

Test (npy, refuses_what_is_not_a_readable_file)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *pipe_path = g_build_filename (folder, "pipe.npy", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.npy", NULL);
  g_autofree char *expected[3] = { NULL };
  const char *const paths[] = { missing, folder, pipe_path };

  cr_assert_eq (mkfifo (pipe_path, 0600), 0);
  expected[0] = g_strdup_printf ("%s: cannot be read: No such file or directory", missing);
  expected[1] = g_strdup_printf ("%s: is not a regular file", folder);
  expected[2] = g_strdup_printf ("%s: is not a regular file", pipe_path);
  for (gsize i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;

    cr_assert_null (assay_npy_map (paths[i], &error));
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
    cr_assert_str_eq (error->message, expected[i]);
    g_clear_pointer (&expected[i], g_free);
  }
  remove_folder (folder);
}

Test (npy, a_failed_write_leaves_nothing_behind)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *nowhere = g_build_filename (folder, "no", "a.npy", NULL);
  g_autofree char *taken = g_build_filename (folder, "taken", NULL);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  const gsize shape[] = { 1 };
  g_autoptr (AssayArray) array = assay_array_take (ASSAY_UINT8, 1, shape, g_malloc0 (1));
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_npy_write (nowhere, array, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_IO));
  first = g_strdup_printf ("%s: cannot be written: No such file or directory", nowhere);
  cr_assert_str_eq (error->message, first);
  g_clear_error (&error);
  cr_assert_eq (g_mkdir (taken, 0700), 0);
  cr_assert_not (assay_npy_write (taken, array, &error));
  second = g_strdup_printf ("%s: cannot be written: Is a directory", taken);
  cr_assert_str_eq (error->message, second);
  cr_assert_eq (count_files (folder), 1);
  remove_folder (folder);
}

/* ---- NumPy ---- */

/* The same numbers in C and in Python: number i of each type, never exact in a narrower one. */
static gpointer
make_numbers (AssayType type, gsize count)
{
  gpointer block = assay_alloc (count, assay_type_size (type), "numbers", NULL);

  for (gsize i = 0; i < count; i++)
    switch (type) {
    case ASSAY_FLOAT32:
      ((float *) block)[i] = (float) ((double) i * 0.1);
      break;
    case ASSAY_FLOAT64:
      ((double *) block)[i] = (double) i * 0.1;
      break;
    case ASSAY_UINT8:
      ((guint8 *) block)[i] = (guint8) (i * 37);
      break;
    case ASSAY_INT32:
      ((gint32 *) block)[i] = (gint32) i * -100000007;
      break;
    case ASSAY_INT64:
      ((gint64 *) block)[i] = (gint64) i * -((gint64) 1 << 50) + 3;
      break;
    }
  return block;
}

/* 1. NumPy writes into "theirs-...". 2. It reads "ours-..." and compares, to the byte. */
static const char script[]
    = "import sys, numpy as np\n"
      "i = np.arange(12)\n"
      "types = {'float32': (i * 0.1).astype('<f4'), 'float64': i * 0.1,\n"
      "         'uint8': (i * 37).astype('u1'), 'int32': (i * -100000007).astype('<i4'),\n"
      "         'int64': i * -(1 << 50) + 3}\n"
      "for name, numbers in types.items():\n"
      "  for n, shape in enumerate([(12,), (3, 4), (2, 2, 3)], 1):\n"
      "    path, a = f'{sys.argv[2]}/%s-{name}-{n}.npy', numbers.reshape(shape)\n"
      "    if sys.argv[1] == 'write':\n"
      "      np.save(path % 'theirs', a)\n"
      "    else:\n"
      "      b = np.load(path % 'ours')\n"
      "      assert b.dtype == a.dtype and b.shape == a.shape, name\n"
      "      assert b.tobytes() == a.tobytes(), name\n"
      "      assert open(path % 'ours', 'rb').read() == open(path % 'theirs', 'rb').read(), path\n";

static gboolean
run_python (const char *program, const char *mode, const char *folder, char **ret_errors)
{
  const char *const arguments[] = { PYTHON, "-c", program, mode, folder, NULL };
  int status = -1;

  return g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL,
                       ret_errors, &status, NULL)
         && status == 0;
}

Test (npy, numpy_reads_ours_and_we_read_numpys, .timeout = 60)
{
  static const AssayType types[]
      = { ASSAY_FLOAT32, ASSAY_FLOAT64, ASSAY_UINT8, ASSAY_INT32, ASSAY_INT64 };
  static const gsize shapes[][3] = { { 12, 0, 0 }, { 3, 4, 0 }, { 2, 2, 3 } };
  g_autofree char *folder = make_folder ();
  g_autofree char *errors = NULL;

  if (!run_python ("import numpy", "", "", NULL)) {
    remove_folder (folder);
    cr_skip_test (PYTHON " has no numpy");
  }
  cr_assert (run_python (script, "write", folder, &errors), "%s", errors);
  g_clear_pointer (&errors, g_free);
  for (gsize t = 0; t < G_N_ELEMENTS (types); t++)
    for (guint n = 1; n <= 3; n++) {
      const char *name = assay_type_name (types[t]);
      g_autofree char *theirs = g_strdup_printf ("%s/theirs-%s-%u.npy", folder, name, n);
      g_autofree char *ours = g_strdup_printf ("%s/ours-%s-%u.npy", folder, name, n);
      g_autoptr (AssayArray) array
          = assay_array_take (types[t], n, shapes[n - 1], make_numbers (types[t], 12));
      g_autoptr (AssayArray) found = NULL;
      g_autoptr (GError) error = NULL;

      found = assay_npy_map (theirs, &error);
      cr_assert_not_null (found, "%s", error != NULL ? error->message : "");
      cr_assert_eq (found->type, types[t], "%s", theirs);
      cr_assert_eq (found->n_dimensions, n, "%s", theirs);
      cr_assert_eq (memcmp (found->shape, shapes[n - 1], n * sizeof (gsize)), 0, "%s", theirs);
      cr_assert_eq (memcmp (found->data, array->data, 12 * assay_type_size (types[t])), 0, "%s",
                    theirs);
      cr_assert (assay_npy_write (ours, array, &error), "%s", ours);
    }
  cr_assert (run_python (script, "read", folder, &errors), "%s", errors);
  remove_folder (folder);
}
