/* A run store is a file that anybody may have changed. It is checked once, as it is opened, by one
 * list of rules in SQL, each of which selects the rows that break it: what reads the store
 * afterwards need not ask for types again. Blobs are not read for it: SQLite knows their length. */
#include "runner/store/verify.h"

#include <string.h>

#include "core/base/text.h"
#include "runner/store/formula.h"
#include "runner/store/thumbnail.h"

/* SQL: a text in UTF-8 without a zero. SQLite takes any bytes for text. */
#define IS_TEXT "is_text"
/* SQL: a text of characters that may be shown anywhere, in lines. */
#define IS_PLAIN "is_plain"
/* SQL: a formula that nothing but arithmetic can come of (formula.h). */
#define IS_FORMULA "is_formula"
#define QUOTE(value) #value
#define STRING(value) QUOTE (value)

typedef struct {
  const char *says;
  const char *broken_in; /* the query for one row that breaks it: what names the row, as a text */
} Rule;

/* Longer than anything that Assay writes (a scenario has 1 MiB at most, a message 64 KiB), and long
 * to lay out: 200 MB of a message took more than 15 s to report. */
static const Rule rules[] = {
  { "a text is longer than any that Assay writes",
    "SELECT 'meta ' || rowid FROM meta WHERE length (key) > 1000 OR length (value) > 16777216"
    " UNION ALL SELECT 'cell ' || cell FROM cells WHERE length (message) > 1048576" },
  { "a text is not one", "SELECT 'meta ' || rowid FROM meta WHERE NOT is_text (key)"
                         " OR NOT is_text (value)" },
  /* But for the scenario's own words, which are kept as they are, and shown with care. */
  { "a text would steer the terminal of who reads it",
    "SELECT 'meta ' || key FROM meta WHERE NOT is_plain (key) OR (NOT is_plain (value)"
    " AND key NOT IN ('scenario', 'plan', 'claims', 'claims.accepted'))" },
  { "a cell's numbers are none",
    "SELECT 'cell ' || cell FROM cells WHERE cell < 0 OR typeof (begun) <> 'integer'"
    " OR typeof (status) <> 'integer' OR typeof (seconds) NOT IN ('real', 'null')"
    " OR seconds < 0 OR seconds > 1e12" },
  { "a cell has a status that there is not",
    "SELECT 'cell ' || cell FROM cells WHERE status NOT BETWEEN 0 AND 4" },
  { "a cell's message is not text",
    "SELECT 'cell ' || cell FROM cells WHERE message IS NOT NULL AND NOT is_text (message)" },
  { "outcomes are no numbers",
    "SELECT 'outcomes of cell ' || cell FROM outcomes WHERE typeof (cell) <> 'integer'"
    " OR typeof (metric) <> 'integer' OR typeof (series) <> 'integer'"
    " OR typeof (data) <> 'blob' OR length (data) % 8 <> 0" },
  { "groups are no numbers",
    "SELECT 'groups of trial ' || trial FROM groups WHERE typeof (dataset) <> 'integer'"
    " OR typeof (trial) <> 'integer' OR typeof (data) <> 'blob' OR length (data) % 8 <> 0" },
  { "tuning chose what it did not try",
    "SELECT 'tuning of attack ' || attack FROM tunings WHERE typeof (dataset) <> 'integer'"
    " OR typeof (defense) <> 'integer' OR typeof (attack) <> 'integer'"
    " OR typeof (chosen) <> 'integer' OR typeof (estimates) <> 'blob'"
    " OR length (estimates) % 8 <> 0 OR chosen NOT BETWEEN 0 AND length (estimates) / 8 - 1" },
  { "a picture has not the bytes that its size says",
    "SELECT 'thumbnail ' || hex (substr (sha256, 1, 4)) FROM thumbnails WHERE NOT is_text (sha256)"
    " OR typeof (width) <> 'integer' OR typeof (height) <> 'integer'"
    " OR typeof (channels) <> 'integer' OR channels NOT IN (1, 3)"
    " OR width NOT BETWEEN 1 AND " STRING (ASSAY_THUMBNAIL_MAX_SIDE)
    " OR height NOT BETWEEN 1 AND " STRING (ASSAY_THUMBNAIL_MAX_SIDE)
    " OR typeof (data) <> 'blob' OR length (data) <> width * height * channels" },
  { "a picture is missing",
    "SELECT 'picture of cell ' || cell FROM pictures WHERE typeof (cell) <> 'integer'"
    " OR typeof (metric) <> 'integer' OR typeof (role) <> 'integer'"
    " OR typeof (unit) <> 'integer' OR NOT is_text (thumbnail)"
    " OR thumbnail NOT IN (SELECT sha256 FROM thumbnails)" },
  { "runs that were counted are not what their sizes say",
    "SELECT 'counted runs of cell ' || cell FROM counted WHERE cell < 0"
    " OR typeof (columns) <> 'integer' OR columns < 0"
    " OR typeof (width) <> 'integer' OR width NOT IN (0, 4, 8)"
    " OR typeof (first) NOT IN ('blob', 'null') OR typeof (second) <> typeof (first)"
    " OR typeof (marks) <> typeof (first)"
    " OR (first IS NOT NULL AND (length (first) <> length (second)"
    "     OR length (first) <> columns * width * (length (marks) / 2)))" },
  { "the formula of an event is not one that Assay writes",
    "SELECT 'counted runs of cell ' || cell FROM counted WHERE python IS NOT NULL"
    " AND NOT (" IS_TEXT " (python) AND " IS_FORMULA " (python))" },
};

static void
is_text (sqlite3_context *context, G_GNUC_UNUSED int n, sqlite3_value **values)
{
  const gboolean is_one
      = sqlite3_value_type (values[0]) == SQLITE_TEXT
        && g_utf8_validate ((const char *) sqlite3_value_text (values[0]),
                            sqlite3_value_bytes (values[0]), NULL);

  sqlite3_result_int (context, is_one);
}

static void
is_plain (sqlite3_context *context, G_GNUC_UNUSED int n, sqlite3_value **values)
{
  const char *text = (const char *) sqlite3_value_text (values[0]);

  sqlite3_result_int (context, text != NULL && assay_text_is_plain (text));
}

static void
is_formula (sqlite3_context *context, G_GNUC_UNUSED int n, sqlite3_value **values)
{
  const char *text = (const char *) sqlite3_value_text (values[0]);

  sqlite3_result_int (context, text != NULL && assay_formula_is_plain (text));
}

/* SQLite keeps the text of a table's definition, which for a store is a piece of @schema. Indexes
 * of primary keys have none. */
static gboolean
verify_schema (AssayStore *store, const char *schema, GError **error)
{
  g_autoptr (AssaySqlRow) count = NULL;
  g_autoptr (AssaySqlRow) row = NULL;
  gint64 n_expected = 0;

  for (const char *at = schema; (at = strstr (at, "CREATE TABLE ")) != NULL; at++)
    n_expected++;
  if (!assay_sql_find (store, &count, error,
                       "SELECT count(*) FROM sqlite_master WHERE sql IS NOT NULL"
                       " AND instr (?, sql || ';') > 0",
                       ASSAY_SQL_TEXT (schema))
      || !assay_sql_find (store, &row, error,
                          "SELECT name FROM sqlite_master WHERE sql IS NOT NULL"
                          " AND instr (?, sql || ';') = 0",
                          ASSAY_SQL_TEXT (schema)))
    return FALSE;
  return (count != NULL && sqlite3_column_int64 (count, 0) == n_expected && row == NULL)
         || assay_sql_fail_damaged (store, "its tables are not those of a run store", error);
}

static gboolean
verify_rule (AssayStore *store, const Rule *rule, GError **error)
{
  g_autoptr (AssaySqlRow) row = NULL;
  g_autofree char *limited = g_strconcat (rule->broken_in, " LIMIT 1", NULL);
  g_autofree char *problem = NULL;
  g_autofree char *where = NULL;

  if (!assay_sql_step (store, limited, NULL, 0, &row, error))
    return FALSE;
  if (row == NULL)
    return TRUE;
  where = g_utf8_make_valid ((const char *) sqlite3_column_text (row, 0), -1);
  problem = g_strdup_printf ("%s: %s", where, rule->says);
  return assay_sql_fail_damaged (store, problem, error);
}

/* A function of one value for the rules. */
typedef struct {
  const char *name;
  void (*call) (sqlite3_context *context, int n, sqlite3_value **values);
} Function;

static gboolean
add_functions (AssayStore *store, GError **error)
{
  static const Function functions[]
      = { { IS_TEXT, is_text }, { IS_PLAIN, is_plain }, { IS_FORMULA, is_formula } };

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (sqlite3_create_function (store->database, functions[i].name, 1,
                                 SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, functions[i].call, NULL,
                                 NULL)
        != SQLITE_OK)
      return assay_sql_fail (store, error);
  return TRUE;
}

gboolean
assay_store_verify (AssayStore *store, const char *schema, GError **error)
{
  if (!add_functions (store, error) || !verify_schema (store, schema, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (!verify_rule (store, &rules[i], error))
      return FALSE;
  return TRUE;
}
