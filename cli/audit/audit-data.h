/* The rows of `assay audit`: read from any table of numbers or a folder of images, and divided into
 * those that are protected and those that an attacker may have. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/matrix.h"

typedef struct {
  AssayMatrix *rows;
  gint64 *labels; /* a class from 0 for each row; NULL: none were given */
  gsize n_classes;
  GPtrArray *attributes; /* CliAuditColumn; NULL: none were given */

  AssayGeometry geometry; /* of rows that are images of a folder */
  GPtrArray *classes;     /* the names of its sub-folders; NULL: it has no classes */
} CliAuditData;

ASSAY_DECLARE_CLEAR (CliAuditData, cli_audit_data_clear)

/* What the words of the command name; all but the first two may be NULL. */
typedef struct {
  const char *option;     /* that names @data, for messages: "--data" */
  const char *data;       /* .npy, .csv, .fvecs and what else `assay dataset info` knows, or rows as
                           * scenarios name them (core/data/row-file.h); or a folder of images */
  const char *labels;     /* FILE of one column, FILE.csv:COLUMN, or a column of @data */
  const char *attributes; /* columns of @data, or FILE.csv:COLUMN, separated by commas */
  gsize size; /* pixels of a side to which images are reduced; 0: they have one size already */
  const CliAuditData *like; /* whose classes and channels images are to have */
} CliAuditFiles;

/* ASSAY_ERROR_DATA names the file: numbers that are not finite, labels of another length, labels
 * that are no classes; images that cannot be read. */
gboolean cli_audit_data_read (const CliAuditFiles *files, CliAuditData *ret_data, GError **error);

/* The @n rows that @numbers name. */
AssayMatrix *cli_audit_data_take (const AssayMatrix *rows, const gsize *numbers, gsize n,
                                  GError **error);

/* How rows are divided. */
typedef struct {
  gsize *order; /* their numbers: n_private of them, then n_public */
  gsize n_private, n_public;
  gsize n_secrets;  /* protected at a time */
  gsize n_joined;   /* rows that are equal to one before them, and went where that is */
  gsize n_left_out; /* beyond what an audit can use */
} CliAuditSplit;

ASSAY_DECLARE_CLEAR (CliAuditSplit, cli_audit_split_clear)

/* Half of the rows each, at random; all of @data are private where the public ones come from a file
 * of their own (@has_public). @wanted: secrets at a time, or 0. ASSAY_ERROR_DATA says how many rows
 * are needed. */
gboolean cli_audit_split (const CliAuditData *data, gboolean has_public, gsize wanted, guint64 seed,
                          CliAuditSplit *ret_split, GError **error);

#define CLI_AUDIT_USUAL_TAU 0.3

/* The tau up to which a secret counts as recovered: 0.3 of its length, or less where rows lie so
 * close together that one guess for all, their mean or any one of them, is right more often than
 * once in a hundred. */
double cli_audit_tau (AssayView public_rows);

/* The column with the largest variance of those that their median divides; FALSE: there is none. */
gboolean cli_audit_dividing_column (AssayView public_rows, gsize *ret_column);
