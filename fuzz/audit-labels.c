/* Fuzz target: the classes and attributes of `assay audit`. The first byte of an input says how
 * many rows there are, the next which rows the table has; then come the table as --data names it,
 * a line end, what --labels or --attributes say, in which @ stands for the folder, a line end, and
 * the content of the files `a` and `b`, parted by a byte 0xff.
 *
 * The program's own sources are compiled with it: they are no part of the library. */
#include "cli/audit/audit-labels.h"

#include <glib/gstdio.h>

#include "cli/dataset/dataset.h"
#include "core/data/formats/csv-column.h"
#include "fuzz/fuzz.h"

#define MOST_ROWS 24

static const char *const names[] = { "a.csv", "a.npy", "b.csv", "b.npy", "again.csv", NULL };
static const char *const names_of_a[] = { "a.csv", "a.npy", NULL };
static const char *const names_of_b[] = { "b.csv", "b.npy", NULL };

/* In the place of cli/dataset/dataset.c, which is the whole command. */
AssayTable *
cli_dataset_open (const char *path, const char *format, GError **error)
{
  AssayTableFormat found;

  (void) format;
  return assay_table_format_of_path (path, &found, error) ? assay_table_open (path, found, error)
                                                          : NULL;
}

static void
check_column (const CliAuditColumn *column, gsize n)
{
  FUZZ_REQUIRE (column->values->len >= 2 && 2 * column->values->len <= n);
  for (gsize i = 0; i < n; i++)
    FUZZ_REQUIRE (column->numbers[i] >= 0 && (guint64) column->numbers[i] < column->values->len);
}

/* What is written of attributes is a table of the same texts. */
static void
check_written (const GPtrArray *attributes, gsize n)
{
  g_autofree char *path = g_build_filename (fuzz_folder (names), "again.csv", NULL);
  g_autofree char *text = NULL;
  gsize rows[MOST_ROWS], length;

  for (gsize i = 0; i < n; i++)
    rows[i] = i;
  FUZZ_REQUIRE (cli_audit_attributes_write (attributes, rows, n, path, NULL));
  FUZZ_REQUIRE (g_file_get_contents (path, &text, &length, NULL));
  fuzz_files_add ("again.csv", text, length);
  for (guint c = 0; c < attributes->len; c++) {
    const CliAuditColumn *column = attributes->pdata[c];
    g_autoptr (AssayCsvColumn) again = assay_csv_column_read (path, column->name, n, NULL);

    FUZZ_REQUIRE (again != NULL && again->values->len == column->values->len);
    for (gsize i = 0; i < n; i++)
      FUZZ_REQUIRE (g_str_equal (again->values->pdata[again->groups[i]],
                                 column->values->pdata[column->numbers[i]]));
  }
}

static void
read_labels (const char *words, const CliAuditTable *own, gsize n)
{
  g_autoptr (GError) error = NULL, other = NULL;
  g_autoptr (CliAuditColumn) labels = cli_audit_labels_read (words, own, n, &error);
  g_autoptr (GPtrArray) attributes = cli_audit_attributes_read (words, own, n, &other);

  fuzz_check_outcome (labels != NULL, error);
  fuzz_check_outcome (attributes != NULL, other);
  if (labels != NULL)
    check_column (labels, n);
  for (guint i = 0; attributes != NULL && i < attributes->len; i++)
    check_column (attributes->pdata[i], n);
  if (attributes != NULL && attributes->len > 0)
    check_written (attributes, n);
}

/* The table without the columns that are none of its numbers. */
static void
check_names (const char *data, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) own = cli_audit_own_columns (data, words, &error);

  fuzz_check_outcome (own != NULL, error);
  if (own != NULL && own->len > 0) {
    g_autoptr (GError) other = NULL;
    g_autofree char *rest = cli_audit_without (data, own, &other);

    fuzz_check_outcome (rest != NULL, other);
    FUZZ_REQUIRE (cli_audit_is_table (data) && (rest == NULL || cli_audit_is_table (rest)));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  FuzzInput input = { bytes, size };
  const char *folder = fuzz_folder (names);
  const gsize n = fuzz_take_byte (&input) % MOST_ROWS;
  const guint8 kind = fuzz_take_byte (&input);
  g_autofree char *data = fuzz_take_text (&input, '\n');
  g_autofree char *line = fuzz_take_text (&input, '\n');
  g_auto (GStrv) pieces = g_strsplit (line, "@", -1);
  g_autofree char *begin = g_strconcat (folder, "/", NULL);
  g_autofree char *words = g_strjoinv (begin, pieces);
  g_autofree char *path = g_build_filename (folder, "a.csv", NULL);
  /* All rows of the table, or all but one. */
  const CliAuditTable own = { path, kind % 2, n + kind % 2, n + kind % 2 };

  fuzz_files_add_two (names_of_a, names_of_b, input.data, input.left);
  read_labels (words, kind / 2 % 2 == 0 ? &own : NULL, n);
  check_names (data, words);
  fuzz_files_forget ();
  return 0;
}
