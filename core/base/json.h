/* A streaming JSON writer. json-glib (which reads our JSON) prints every double with 17 digits and
 * builds a tree first; results must read well (0.1, not 0.10000000000000001), read back exactly,
 * and cost no memory per cell: a writer with a sink holds a piece of the text at a time. */
#pragma once

#include <glib.h>

#include "core/base/param.h"

/* Takes the next piece of the text. FALSE: it cannot, and gets no further one. */
typedef gboolean (*AssayJsonSink) (const char *text, gsize length, gpointer data);

typedef struct {
  GString *text; /* of a writer with a sink: what the sink was not given yet */
  AssayJsonSink sink;
  gpointer sink_data;
  gboolean is_broken; /* the sink has failed */
  guint depth;
  gboolean needs_comma;
  gboolean after_key;
  gboolean is_compact; /* one line, for the inside of tables */
} AssayJson;

AssayJson *assay_json_new (void);
ASSAY_DECLARE_FREE (AssayJson, assay_json_free)
/* The text so far, with a final newline; the writer is freed. */
char *assay_json_finish (AssayJson *json);

/* A writer whose text goes to @sink, and its end, which frees it. FALSE: the sink has failed. */
AssayJson *assay_json_new_to (AssayJsonSink sink, gpointer data);
gboolean assay_json_finish_to (AssayJson *json);

void assay_json_begin_object (AssayJson *json);
void assay_json_end_object (AssayJson *json);
void assay_json_begin_array (AssayJson *json);
void assay_json_end_array (AssayJson *json);
void assay_json_key (AssayJson *json, const char *key);
void assay_json_string (AssayJson *json, const char *value); /* NULL writes null */
void assay_json_int (AssayJson *json, gint64 value);
/* null where @value is not finite, or stands for "no bound" (G_MAXDOUBLE). */
void assay_json_double (AssayJson *json, double value);
void assay_json_bool (AssayJson *json, gboolean value);
void assay_json_raw (AssayJson *json, const char *text); /* @text is JSON already */

/* What @format says, with the values in their order: "cell {id %s n %zu won %i}" is a member cell,
 * an object of three. A name stands before its value, which is %s (NULL writes null), %g (as by
 * assay_json_double), %d, %u, %zu or that of 64 bits, or %i, true or false; or {} or [] around
 * others. */
void assay_json_write (AssayJson *json, const char *format, ...) G_GNUC_PRINTF (2, 3);

void assay_json_member_string (AssayJson *json, const char *key, const char *value);
void assay_json_member_int (AssayJson *json, const char *key, gint64 value);
void assay_json_member_double (AssayJson *json, const char *key, double value);

/* "name": value of one setting, with numbers and booleans as such. */
void assay_json_setting (AssayJson *json, const AssaySettings *settings, const AssayParam *param);
/* { "name": value, ... } of all, with numbers and booleans as such. */
void assay_json_settings (AssayJson *json, const AssaySettings *settings);
/* The same on one line, as text. */
char *assay_json_settings_text (const AssaySettings *settings);
