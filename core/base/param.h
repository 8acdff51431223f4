/* Parameter tables: the only place where a setting's name, default, range, unit and description
 * stand. A table is typed against the struct that the plugin reads: an entry for a field of another
 * type does not compile. The core fills a zeroed struct from table and scenario, and prints
 * `describe`, plans and results from the same table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/base/free.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_PARAM_TYPE_BOOL,   /* bool */
  ASSAY_PARAM_TYPE_INT,    /* gint64 */
  ASSAY_PARAM_TYPE_REAL,   /* double */
  ASSAY_PARAM_TYPE_CHOICE, /* guint, an index into choices */
  ASSAY_PARAM_TYPE_STRING, /* char *, owned */
} AssayParamType;

typedef struct {
  const char *name; /* snake_case, the field's own name; NULL ends a table */
  AssayParamType type;
  gsize offset;
  double low, high; /* inclusive range of numbers */
  double number;    /* default of BOOL, INT, REAL, CHOICE */
  const char *text; /* default of STRING; NULL: must be given */
  const char *const *choices;
  const char *unit;
  const char *help;
  /* A feature that is off at its default: it stands in plans, ids and the keys of random streams
   * only where it is set, so that a plugin may gain one and results stay what they are. */
  gboolean is_extra;
  /* A CHOICE whose default tries all the others: any of these asks less of the plugin. */
  gboolean tries_all;
} AssayParam;

/* After the help of a setting: see is_extra. */
#define ASSAY_PARAM_EXTRA .is_extra = true
/* The same: see tries_all. */
#define ASSAY_PARAM_TRIES_ALL .tries_all = true

/* The offset of @field, if its type is @type; a compile error otherwise. */
#define ASSAY_TYPED_OFFSET(Struct, field, type)                                                   \
  _Generic (((Struct *) 0)->field, type : offsetof (Struct, field))

#define ASSAY_PARAM_BOOL(Struct, field, otherwise, ...)                                           \
  { .name = #field, .type = ASSAY_PARAM_TYPE_BOOL,                                                \
    .offset = ASSAY_TYPED_OFFSET (Struct, field, bool), .low = 0, .high = 1,                      \
    .number = (otherwise), .help = __VA_ARGS__ }
#define ASSAY_PARAM_INT(Struct, field, otherwise, least, most, measured_in, ...)                  \
  { .name = #field, .type = ASSAY_PARAM_TYPE_INT,                                                 \
    .offset = ASSAY_TYPED_OFFSET (Struct, field, gint64), .low = (least), .high = (most),         \
    .number = (otherwise), .unit = (measured_in), .help = __VA_ARGS__ }
#define ASSAY_PARAM_REAL(Struct, field, otherwise, least, most, measured_in, ...)                 \
  { .name = #field, .type = ASSAY_PARAM_TYPE_REAL,                                                \
    .offset = ASSAY_TYPED_OFFSET (Struct, field, double), .low = (least), .high = (most),         \
    .number = (otherwise), .unit = (measured_in), .help = __VA_ARGS__ }
/* @names is a NULL-terminated array of strings; @otherwise an index into it. */
#define ASSAY_PARAM_CHOICE(Struct, field, otherwise, names, ...)                                  \
  { .name = #field, .type = ASSAY_PARAM_TYPE_CHOICE,                                              \
    .offset = ASSAY_TYPED_OFFSET (Struct, field, guint), .number = (otherwise),                   \
    .choices = (names), .help = __VA_ARGS__ }
#define ASSAY_PARAM_STRING(Struct, field, otherwise, ...)                                         \
  { .name = #field, .type = ASSAY_PARAM_TYPE_STRING,                                              \
    .offset = ASSAY_TYPED_OFFSET (Struct, field, char *), .text = (otherwise), .help = __VA_ARGS__ }
#define ASSAY_PARAM_END { .name = NULL }

/* for (const AssayParam *param : table), of which NULL has none. */
#define ASSAY_FOR_EACH_PARAM(param, table)                                                         \
  for (const AssayParam *param = (table); param != NULL && param->name != NULL; param++)

/* One table with every value resolved: what a plugin works on, and what results print. */
typedef struct {
  const AssayParam *table; /* NULL for a plugin without parameters */
  gsize size;
  gpointer values; /* the plugin's struct */
} AssaySettings;

/* Every default. A STRING without a default is left NULL for assay_settings_check_complete. */
AssaySettings *assay_settings_new (const AssayParam *table, gsize size);
AssaySettings *assay_settings_copy (const AssaySettings *settings);
ASSAY_DECLARE_FREE (AssaySettings, assay_settings_free)

/* Sets @name from its text. Unknown names (with the closest match), wrong types and values out of
 * range are ASSAY_ERROR_PARAMETER, and leave @settings as it was. */
gboolean assay_settings_set (AssaySettings *settings, const char *name, const char *text,
                             GError **error);
/* ASSAY_ERROR_PARAMETER naming the first setting that has neither value nor default. */
gboolean assay_settings_check_complete (const AssaySettings *settings, GError **error);

/* Whether there is a BOOL called @name, and it is set. */
gboolean assay_settings_is_on (const AssaySettings *settings, const char *name);
const AssayParam *assay_param_find (const AssayParam *table, const char *name); /* NULL: none */
gboolean assay_param_exists (const AssayParam *table, const char *name);
/* The value as a scenario would write it; exact for numbers. */
char *assay_settings_get (const AssaySettings *settings, const AssayParam *param);
/* "learner = ridge, where best tries all": the first CHOICE that tries all at its default and is
 * not at it; NULL: none. */
char *assay_settings_narrowed (const AssaySettings *settings);
/* "name=value\n" for every setting in table order, but those that are extra and at their
 * default: the form that is hashed and keys streams. */
char *assay_settings_canonical (const AssaySettings *settings);
/* "int, 1 to 64, default 4" */
char *assay_param_describe (const AssayParam *param);

G_END_DECLS
