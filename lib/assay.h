/* The stable C interface of Assay: libassay.so, with libassay.pc for pkg-config.
 *
 * What is declared here stays: symbols are versioned (ASSAY_0), structs do not change, and what a
 * later version adds has a name of its own. It needs no GLib of its caller, never prints and never
 * ends the process. Functions may be called from any thread, but one at a time.
 *
 * A function that can fail returns 0 or an AssayApiStatus, and leaves what it would have returned
 * untouched; assay_api_message () then says in words what was wrong. Texts (char *) that are
 * returned are UTF-8 and freed with assay_api_free. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Those of the program's exit codes that failures have. */
typedef enum {
  ASSAY_API_OK = 0,
  ASSAY_API_BAD_INPUT = 2,   /* a name, setting, file, scenario or array */
  ASSAY_API_NUMERIC = 3,     /* a computation gave no finite numbers */
  ASSAY_API_UNFINISHED = 4,  /* no memory, or a disk that is full */
  ASSAY_API_CANCELLED = 130, /* the caller asked to stop */
} AssayApiStatus;

/* "0.1.0". */
const char *assay_api_version (void);
/* Of the last failure in this thread, until the next call in it. */
const char *assay_api_message (void);
void assay_api_free (void *text);
/* 0: one per processor, as at the beginning. */
void assay_api_set_threads (unsigned threads);
/* Loads the plugins (FILE.so) of the folders in @path, separated by colons. Once, before all
 * else. */
int assay_api_load_plugins (const char *path);
/* What can be named: {"defenses": [{"name": ..., "summary": ...}], "attacks": ..., "metrics": ...,
 * "datasets": ...}. */
char *assay_api_list (void);

/* ---- Arrays ---- */

/* Row-major without gaps. @type is NumPy's name: float32, float64, uint8, int32 or int64. */
typedef struct {
  const char *name;
  const char *type;
  unsigned n_dimensions; /* 1 to 3 */
  size_t shape[3];
  const void *data;
} AssayApiArray;

/* A release, a guess or a truth: named arrays (docs/formats.md). */
typedef struct AssayApiSet AssayApiSet;

/* @what is "release", "guess" or "truth"; @kind that of a release ("vectors"), otherwise NULL. */
int assay_api_set_new (const char *what, const char *kind, AssayApiSet **ret_set);
/* From and to folders, as the program's protect, attack and measure have them. */
int assay_api_set_read (const char *what, const char *folder, AssayApiSet **ret_set);
int assay_api_set_write (const AssayApiSet *set, const char *folder);
void assay_api_set_free (AssayApiSet *set);
/* Copies @array into @set, in place of one of its name. */
int assay_api_set_add (AssayApiSet *set, const AssayApiArray *array);
size_t assay_api_set_count (const AssayApiSet *set);
/* Array @index, which is there as long as @set. */
void assay_api_set_array (const AssayApiSet *set, size_t index, AssayApiArray *ret_array);

/* Rows by a specification, as scenarios have them: "people.csv[-name][0:2000]". The set has one
 * array, "rows", of float32. */
int assay_api_rows_read (const char *specification, AssayApiSet **ret_set);

/* ---- Steps ---- */

/* What is played: @settings are "NAME=VALUE", NULL at their end (NULL: the defaults). */
typedef struct {
  const char *plugin;
  const char *const *settings;
  uint64_t seed;
} AssayApiPlay;

/* What is known beside secrets and release: arrays of rows x columns, NULL for none. */
typedef struct {
  const AssayApiArray *database;
  const AssayApiArray *public_rows;
  const AssayApiArray *labels; /* of the secrets, int64; for defenses that learn from them */
} AssayApiKnown;

/* Protects @secrets (rows x columns): what leaves the owner, and the truth that must not. */
int assay_api_protect (const AssayApiPlay *defense, const AssayApiArray *secrets,
                       const AssayApiKnown *known, AssayApiSet **ret_release,
                       AssayApiSet **ret_truth);
/* Attacks @release with exactly what @known holds. */
int assay_api_attack (const AssayApiPlay *attack, const AssayApiSet *release,
                      const AssayApiKnown *known, AssayApiSet **ret_guess);
/* What @guess recovered of @truth, by all metrics that apply (@release may be NULL): a JSON array
 * as `assay measure --json` prints it. */
int assay_api_measure (const AssayApiSet *truth, const AssayApiSet *guess,
                       const AssayApiSet *release, double confidence, uint64_t seed,
                       char **ret_json);

/* ---- Scenarios ---- */

typedef struct {
  const char *out;                /* the folder of results; NULL: assay-out/SCENARIO-HASH */
  const char *const *assignments; /* of --set, NULL at their end; NULL: none */
  int resume;
  /* Called between cells: nonzero stops the run, which can be resumed. NULL: never. */
  int (*progress) (size_t done, size_t total, const char *doing, void *data);
  void *data;
} AssayApiRun;

/* Runs the scenario in a file to its end: reports are in the folder *ret_folder. Violated claims
 * are results, no failures. */
int assay_api_run (const char *scenario, const AssayApiRun *run, char **ret_folder);
/* results.json of a run's folder, finished or not, made again from its store. */
int assay_api_results (const char *folder, char **ret_json);

#ifdef __cplusplus
}
#endif
