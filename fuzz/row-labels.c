/* Fuzz target: labels of rows that stand in files of their own: a file for each class, or tables of
 * attributes. The first byte of an input says which, the next how many rows there are; then come a
 * specification, a line end, and the content of the files `a` and `b`, parted by a byte 0xff. */
#include "fuzz/fuzz.h"

#include "core/data/row-file.h"
#include "datasets/tables/class-files.h"
#include "datasets/tables/row-attributes.h"

#define MOST_ROWS 32

static const char *const names[] = { "a.csv", "a.npy", "a.txt", "b.csv", "b.npy", "b.txt", NULL };
static const char *const names_of_a[] = { "a.csv", "a.npy", "a.txt", NULL };
static const char *const names_of_b[] = { "b.csv", "b.npy", "b.txt", NULL };

static void
read_classes (const char *specification, const char *const *folders, gsize n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRows) rows = class_files_read (specification, folders, n, &error);
  float row[G_N_ELEMENTS (names)];

  fuzz_check_outcome (rows != NULL, error);
  if (rows == NULL)
    return;
  FUZZ_REQUIRE (assay_rows_count (rows) == n && assay_rows_cols (rows) <= G_N_ELEMENTS (row));
  for (gsize i = 0; i < n; i++) {
    assay_rows_read (rows, i, 1, ASSAY_SCALE_NONE, row);
    for (gsize j = 0; j < assay_rows_cols (rows); j++)
      FUZZ_REQUIRE (row[j] == 0 || row[j] == 1);
  }
}

static void
check_attributes (const RowAttributesRole *roles, AssayArray *const *values, char **columns)
{
  const gsize q = columns != NULL ? g_strv_length (columns) : 0;

  for (guint r = 0; r < 2; r++) {
    FUZZ_REQUIRE ((values[r] != NULL) == (*roles[r].tables != '\0'));
    if (values[r] == NULL)
      continue;
    FUZZ_REQUIRE (values[r]->shape[0] == roles[r].n && values[r]->shape[1] == q);
    for (gsize i = 0; i < roles[r].n * q; i++)
      FUZZ_REQUIRE (assay_array_int64 (values[r])[i] >= 0);
  }
}

/* The specification is what three settings say: tables of secrets, tables of public rows, and the
 * rows that the latter belong to (none: as many as there are secrets, of no file). */
static void
read_attributes (const char *specification, const char *const *folders, gsize n)
{
  g_auto (GStrv) words = g_strsplit (specification, "|", 3);
  const guint n_words = g_strv_length (words);
  g_autoptr (AssayRowFiles) rows
      = n_words == 3 ? assay_row_files_open (words[2], folders, NULL) : NULL;
  const gsize n_public = rows != NULL ? assay_row_files_count (rows) : n;
  const RowAttributesRole roles[] = {
    { "attributes", n_words > 0 ? words[0] : "", NULL, n },
    { "public_attributes", n_words > 1 ? words[1] : "", rows, n_public },
  };
  AssayArray *values[2] = { NULL };
  g_auto (GStrv) columns = NULL;
  g_autoptr (GError) error = NULL;
  const gboolean is_ok = row_attributes_read (roles, 2, folders, values, &columns, &error);

  fuzz_check_outcome (is_ok, error);
  if (is_ok)
    check_attributes (roles, values, columns);
  for (guint r = 0; r < 2; r++)
    assay_array_free (values[r]);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *const folders[] = { fuzz_folder (names), NULL };
  FuzzInput input = { data, size };
  const gboolean are_classes = fuzz_take_byte (&input) % 2 == 0;
  const gsize n = fuzz_take_byte (&input) % MOST_ROWS;
  g_autofree char *specification = fuzz_take_text (&input, '\n');

  fuzz_files_add_two (names_of_a, names_of_b, input.data, input.left);
  if (are_classes)
    read_classes (specification, folders, n);
  else
    read_attributes (specification, folders, n);
  fuzz_files_forget ();
  return 0;
}
