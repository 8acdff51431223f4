/* What a run keeps of where it came from, in its store, and the plan made again of it: so that
 * reports need neither the scenario's file nor the data. */
#pragma once

#include "runner/store/store.h"

/* What the store of a run says of itself. */
#define ASSAY_META_PLAN "plan_sha256"
#define ASSAY_META_PLAN_TEXT "plan"
#define ASSAY_META_STATE "state"
#define ASSAY_META_FINISHED "finished"
#define ASSAY_META_EXTERNAL "external.sha256" /* of all external releases and guesses */
#define ASSAY_META_SERIAL "serial"            /* one more than that of the run it replaces */
#define ASSAY_META_VERSION "version"          /* of the program that began it, with its commit */
#define ASSAY_THIS_VERSION ASSAY_VERSION " (" ASSAY_COMMIT ")" /* config.h */

/* Writes the scenario's text, what --set, --seed and --trials changed, and the sizes of the
 * datasets into the store, where they are not there already. */
gboolean assay_manifest_store (const AssayPlan *plan, AssayStore *store, GError **error);
/* The plan of them. ASSAY_ERROR_DATA: they are damaged. */
gboolean assay_manifest_plan (AssayStore *store, AssayPlan **ret_plan, GError **error);

/* What run.json says and results do not. */
typedef struct {
  guint threads;
  gint64 started_us, ended_us; /* 0: not yet */
} AssayRunTimes;

gboolean assay_manifest_set_times (AssayStore *store, const AssayRunTimes *times, GError **error);
gboolean assay_manifest_times (AssayStore *store, AssayRunTimes *ret_times, GError **error);

/* The kernels of linear algebra and of networks that the cells of a run were made with, a line
 * each: more than one where it went on with others, which results may depend on. Adds those of this
 * process, and tells whether there are others. In @ret_text NULL: none were kept. */
gboolean assay_manifest_add_kernels (AssayStore *store, gboolean *ret_has_others, GError **error);
gboolean assay_manifest_kernels (AssayStore *store, char **ret_text, GError **error);

/* The files of plugins that were loaded into the process that ran it (AssayPluginOrigin), a line
 * each, "SHA256 PATH": whether the scenario names a plugin of theirs or not, their code could do
 * what Assay can. Where a run goes on with others, those too. In @ret_text NULL: there were
 * none. */
gboolean assay_manifest_add_modules (AssayStore *store, const GPtrArray *files, GError **error);
gboolean assay_manifest_modules (AssayStore *store, char **ret_text, GError **error);

/* What confines the programs of others that a run starts, for whoever reads its verdict: one line
 * for each defense and attack that is one, "defense NAME: bubblewrap, Landlock, seccomp"; where a
 * run goes on elsewhere, both. No result depends on it. In @ret_text NULL: there was none. */
gboolean assay_manifest_add_confinement (const AssayPlan *plan, AssayStore *store, GError **error);
gboolean assay_manifest_confinement (AssayStore *store, char **ret_text, GError **error);

/* What is to be known of the data beside a verdict (AssayProbe.remark), a line each: "dataset
 * vectors: ...". In @ret_text NULL: nothing. */
gboolean assay_manifest_set_remarks (const AssayPlan *plan, AssayStore *store, GError **error);
gboolean assay_manifest_remarks (AssayStore *store, char **ret_text, GError **error);

/* ---- Programs ---- */

/* What a defense or attack is made of beside its settings: the programs that these name, or the
 * folder of an external release. Two runs with one setting `command` may have run two programs. */

/* A line "SHA256 PATH" for each file of @component, number @index of its kind, as it was when the
 * run began; of an external release "SHA256 its folder", of all that the run has. NULL in
 * @ret_lines: nothing of the kind, or not known. */
gboolean assay_programs_of (AssayStore *store, const AssayComponent *component, guint index,
                            char **ret_lines, GError **error);
/* The same of programs, to be taken down when a run begins. */
gboolean assay_programs_keep (AssayStore *store, const AssayComponent *component, guint index,
                              const char *lines, GError **error);

/* "noise.py was 0123456789ab, is ba9876543210 (sha256)": the first file whose content differs,
 * whatever its path; NULL: all are the same, or one of the two is not known. */
char *assay_programs_difference (const char *before, const char *after);
