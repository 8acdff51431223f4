/* A scenario as text: groups of keys with the lines they stand on. What they mean is decided in
 * planner.c.
 *
 * The syntax is GLib's key files, read by our own parser: GKeyFile keeps no line numbers, lets the
 * last of two equal keys win and merges repeated groups, and all three would let a typo in a
 * privacy audit pass. The unit test checks that the two agree on what both accept. */
#pragma once

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/free.h"

typedef struct {
  char *key;
  char *value; /* escapes not yet undone */
  guint line;  /* 0: from the command line */
} AssayEntry;

typedef struct _AssayScenario AssayScenario;

typedef struct {
  const AssayScenario *scenario;
  char *kind;  /* "scenario", "dataset", "defense", ... */
  char *label; /* "" where the kind has none */
  guint line;
  GPtrArray *entries;
} AssayGroup;

struct _AssayScenario {
  char *path;
  char *text;        /* as it was read */
  char *sha256;      /* of the file's bytes */
  GPtrArray *groups; /* in the order of the file */
};

/* ASSAY_ERROR_DATA: unreadable; ASSAY_ERROR_SCENARIO: "FILE:LINE: what", one line for each mistake
 * of the text. */
AssayScenario *assay_scenario_load (const char *path, GError **error);
/* The same of a text that is there already; @path is for messages. */
AssayScenario *assay_scenario_parse (const char *path, const char *text, GError **error);
/* What can be read of a scenario that is refused: without wrong lines, and without the keys of
 * wrong groups. NULL: there is no text. */
AssayScenario *assay_scenario_salvage (const char *path);

/* The same syntax and checks for texts with groups of other names: @check says what is wrong with
 * [@name], which is @kind and @label ("": none). */
typedef gboolean (*AssayGroupCheck) (const char *name, const char *kind, const char *label,
                                     GError **error);
AssayScenario *assay_key_file_load (const char *path, AssayGroupCheck check, GError **error);
AssayScenario *assay_key_file_parse (const char *path, const char *text, AssayGroupCheck check,
                                     GError **error);
ASSAY_DECLARE_FREE (AssayScenario, assay_scenario_free)

/* Applies "GROUP.KEY=VALUE" of --set: the group must exist, the key need not. */
gboolean assay_scenario_set (AssayScenario *scenario, const char *assignment, GError **error);

/* NULL where there is none. */
AssayGroup *assay_scenario_find (const AssayScenario *scenario, const char *kind,
                                 const char *label);
AssayEntry *assay_group_find (const AssayGroup *group, const char *key);
char *assay_group_name (const AssayGroup *group); /* "defense lifting" */

/* The whole value as one text (a title may hold semicolons). */
char *assay_entry_text (const AssayEntry *entry, GError **error);
/* The one value, or the values of a list "a; b; c", escapes undone and blanks around them removed.
 * An empty value, an empty item and a repeated one are errors. */
char **assay_entry_list (const AssayEntry *entry, GError **error);

/* Puts "FILE:LINE: [group] " before the message of @error, with the line of @entry where it is not
 * NULL. FALSE. */
gboolean assay_group_blame (const AssayGroup *group, const AssayEntry *entry, GError **error);
/* Sets @error and blames the group, or its entry, for it. */
#define assay_group_fail(group, entry, error, ...)                                                 \
  (assay_error_set (error, __VA_ARGS__), assay_group_blame (group, entry, error))

/* ---- Keys that are not a plugin's settings; each error names file, line, group and key ---- */

/* ASSAY_ERROR_SCENARIO for a key that is not in @keys (NULL-terminated), with the closest one. */
gboolean assay_group_check_keys (const AssayGroup *group, const char *const *keys, GError **error);
/* The text of @key, or NULL in @ret_text where it does not stand there. */
gboolean assay_group_text (const AssayGroup *group, const char *key, char **ret_text,
                           GError **error);
/* The number of @key; where it does not stand there, @inout_value stays as it is. */
gboolean assay_group_integer (const AssayGroup *group, const char *key, gint64 low, gint64 high,
                              gint64 *inout_value, GError **error);
/* The same of the key `confidence`, 0.5 to 0.999999. */
gboolean assay_group_confidence (const AssayGroup *group, double *inout_value, GError **error);
