/* Rows of files, by a specification as a scenario or the command line gives it:
 *
 *   FILE  FILE[100:200]  FILE[90000:]  FILE[:50]   or several of these, separated by commas
 *   FILE.csv[age,income]  FILE.csv[-name][100:200]  FILE.npz[train][:50]  FOLDER/im*.txt[:50]
 *
 * Rows count from 0 and the end is not included. FILE is .fvecs, .bvecs or .ivecs (TEXMEX: before
 * each row a little-endian int32 with its dimension), .npy (rows x columns; one dimension is a
 * column, and of more a row is all with one first index), an array of .npz, a dataset of HDF5,
 * .csv, .tsv and .parquet, of which columns can be chosen by name or left out, or .dat and .txt,
 * lines of numbers with blanks between them; a pattern of these is files with a row in each, in the
 * order of the numbers in their names. Files are mapped, and only text and what has to be converted
 * or unpacked is read whole; every row that is used is validated. A file that is cut short by
 * another program while it is mapped ends the process (SIGBUS). */
#pragma once

#include "core/data/rows.h"

/* Rows [first, end) of one file. */
typedef struct {
  char *path;            /* canonical and absolute */
  char *array;           /* of a .npz file, or the pattern of files; NULL: others have one table */
  guint64 device, inode; /* equal for equal files, which hard links give several paths */
  gsize first;
  gsize end;
  gsize n_in_file; /* rows of the whole file */
} AssayRowRange;

typedef struct {
  AssayRows *rows;
  GArray *ranges; /* of AssayRowRange, in the order of the specification, hence of the rows */
  char *sha256;   /* of the numbers as they are stored, row after row, without TEXMEX headers: in
                   * NumPy hashlib.sha256 (rows.tobytes ()) */
} AssayRowFiles;

/* Opens @specification. Relative names are looked for in @folders in order (NULL-terminated; NULL:
 * the working folder). All of these are ASSAY_ERROR_DATA, and name the file and as far as it makes
 * sense row, column and byte: a malformed specification; files that are missing, not regular,
 * unreadable, empty, truncated or of another format; dimensions that are not positive, absurd or
 * not the same in all rows and files; values that are not finite in float32; ranges that are empty
 * or reach out of the file. */
AssayRowFiles *assay_row_files_open (const char *specification, const char *const *folders,
                                     GError **error);
ASSAY_DECLARE_FREE (AssayRowFiles, assay_row_files_free)

static inline const AssayRowRange *
assay_row_files_range (const AssayRowFiles *files, guint i)
{
  return &g_array_index (files->ranges, AssayRowRange, i);
}

/* Of NULL, no rows. */
static inline gsize
assay_row_files_count (const AssayRowFiles *files)
{
  return files != NULL ? assay_rows_count (files->rows) : 0;
}

static inline AssayRows *
assay_row_files_ref_rows (const AssayRowFiles *files)
{
  return files != NULL ? assay_rows_ref (files->rows) : NULL;
}

/* ASSAY_ERROR_DATA if a row of a file is in both, naming both ranges and what they share; @role and
 * @other_role are what messages call them ("private"). */
gboolean assay_row_files_check_disjoint (const AssayRowFiles *files, const char *role,
                                         const AssayRowFiles *others, const char *other_role,
                                         GError **error);
/* ASSAY_ERROR_DATA if a row of a file is in @files twice. */
gboolean assay_row_files_check_distinct (const AssayRowFiles *files, const char *role,
                                         GError **error);

/* Some of the rows of a file, as "[FIRST:END]" behind its name says: counted from 0, END not
 * included, either may be left out. */
typedef struct {
  char text[64]; /* as written; "": none, all rows */
  gboolean has_first, has_end;
  gsize first, end;
} AssayRowSpan;

/* The name without the span that ends it; free with g_free. ASSAY_ERROR_DATA where one is empty. A
 * name that ends in brackets with anything else has none. */
char *assay_row_span_split (const char *text, AssayRowSpan *ret_span, GError **error);
/* ASSAY_ERROR_DATA naming the file where the span does not lie among its @count rows. */
gboolean assay_row_span_resolve (const AssayRowSpan *span, const char *path, gsize count,
                                 gsize *ret_first, gsize *ret_end, GError **error);

/* Where data is: what the environment variable ASSAY_DATA says, otherwise the folder @otherwise,
 * where there is one; NULL. */
const char *assay_data_folder (const char *otherwise);

/* The text of datasets/catalog.ini: what can be fetched, and its folders. */
extern const char assay_published_ini[];

/* The path of the file called @name: itself if absolute, otherwise the first that exists in
 * @folders. ASSAY_ERROR_DATA names every place that was looked at. Programs that are audited do not
 * see it from then on (secret-paths.h). */
char *assay_row_file_find (const char *name, const char *const *folders, GError **error);
/* The same of a folder that holds data among other files, and stays in sight. */
char *assay_row_folder_find (const char *name, const char *const *folders, GError **error);
