/* How fast is a set searched for the k best rows of a query, beside FAISS? 1,000 queries against
 * 200,000 rows, a tenth and a twentieth of them with --quick: L2 (core/scan.h, dimension 0) and
 * inner products (core/search.h) among rows of 128 bytes, scaled to unit length on reading, and
 * Hamming distances among codes of 64 and of 256 bits. The rows are a mapped file.
 *
 *   bench-search [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * FAISS (bench/search.py: IndexFlatL2, IndexFlatIP, IndexBinaryFlat) searches the same rows with
 * the same queries and threads, and both take turns. It holds the rows as float32 in its index, the
 * making of which is a column of its own; Assay converts them anew in each search. The benchmark
 * fails where the two did not find the same rows, but for those that are equally good. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "bench/lifted.h"
#include "bench/measure.h"
#include "core/parallel.h"
#include "core/rng.h"
#include "core/scan.h"

#define SEED 1
#define COLS 128

typedef enum { L2, PRODUCT, CODES } Kind;

static const char *const kinds[] = { "l2", "product", "codes" };

typedef struct {
  Kind kind;
  gsize cols; /* bytes of a row */
  gsize k;
} Case;

static const Case cases[]
    = { { L2, COLS, 10 }, { L2, COLS, 1010 }, { PRODUCT, COLS, 10 }, { PRODUCT, COLS, 1010 },
        { CODES, 8, 10 }, { CODES, 8, 1010 }, { CODES, 32, 10 },     { CODES, 32, 1010 } };

typedef struct {
  const MeasureOptions *options;
  gsize n_queries;
  gsize n_rows;
  char *folder; /* of the files that both read */
} Bench;

/* The queries: descriptors or codes. */
typedef struct {
  AssayRows *rows;
  AssayMatrix *points;
  AssayCodes *codes;
} Material;

/* ---- Material ---- */

static char *
path_of (const Bench *bench, const char *name)
{
  return g_build_filename (bench->folder, name, NULL);
}

static void
write_file (const Bench *bench, const char *name, const void *data, gsize size)
{
  g_autofree char *path = path_of (bench, name);
  g_autoptr (GError) error = NULL;

  if (!g_file_set_contents (path, data, (gssize) size, &error))
    measure_stop (path, error);
}

/* Bits like those of a coin. */
static guint8 *
draw_codes (gsize n, gsize bytes, const char *role)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, role, "bench-search");
  guint8 *codes = g_malloc (n * bytes);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);

    for (gsize j = 0; j < bytes; j++)
      codes[i * bytes + j] = (guint8) assay_stream_u32 (&stream);
  }
  return codes;
}

static AssayRows *
map_codes (const Bench *bench, gsize bytes)
{
  g_autofree guint8 *codes = draw_codes (bench->n_rows, bytes, "data");
  g_autofree char *path = path_of (bench, "rows.u8");
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GBytes) mapped = NULL;
  g_autoptr (GError) error = NULL;
  AssayRows *rows = assay_rows_new (bytes);

  write_file (bench, "rows.u8", codes, bench->n_rows * bytes);
  file = g_mapped_file_new (path, FALSE, &error);
  if (file == NULL)
    measure_stop (path, error);
  mapped = g_mapped_file_get_bytes (file);
  assay_rows_append (rows, mapped, g_bytes_get_data (mapped, NULL), ASSAY_UINT8, bytes,
                     bench->n_rows);
  return rows;
}

static Material
make_codes (const Bench *bench, gsize bytes)
{
  g_autoptr (AssayArray) queries
      = assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ bench->n_queries, bytes },
                          draw_codes (bench->n_queries, bytes, "queries"));
  Material material = { .rows = map_codes (bench, bytes) };
  g_autoptr (GError) error = NULL;

  write_file (bench, "queries.u8", queries->data, bench->n_queries * bytes);
  material.codes = assay_codes_new (queries, 8 * bytes, &error);
  if (material.codes == NULL)
    measure_stop ("codes", error);
  return material;
}

static Material
make_points (const Bench *bench)
{
  g_autofree char *path = path_of (bench, "rows.u8"), *other = path_of (bench, "queries.u8");
  g_autoptr (AssayRows) queries = lifted_rows (other, bench->n_queries, COLS, SEED + 1);
  Material material = { .rows = lifted_rows (path, bench->n_rows, COLS, SEED) };
  g_autoptr (GError) error = NULL;

  material.points = assay_rows_matrix (queries, ASSAY_SCALE_UNIT, &error);
  if (material.points == NULL)
    measure_stop ("queries", error);
  write_file (bench, "queries.f32", material.points->data,
              bench->n_queries * COLS * sizeof (float));
  return material;
}

static void
material_clear (Material *material)
{
  assay_rows_unref (material->rows);
  assay_matrix_free (material->points);
  assay_codes_free (material->codes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Material, material_clear)

/* ---- Searching ---- */

static AssayNearest *
search_once (const Material *material, const Case *c)
{
  const AssaySearchSet set
      = { .rows = material->rows, .scale = c->kind == CODES ? ASSAY_SCALE_NONE : ASSAY_SCALE_UNIT };
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest = NULL;

  if (c->kind == CODES) {
    nearest = assay_search_codes (material->codes, &set, c->k, &error);
  } else if (c->kind == PRODUCT) {
    nearest = assay_search_products (ASSAY_SEARCH_PRODUCT, assay_matrix_view (material->points),
                                     &set, c->k, &error);
  } else {
    const AssaySubspaces points
        = { .count = material->points->rows, .cols = COLS, .translation = material->points->data };

    nearest = assay_scan_subspaces (&points, set.rows, set.scale, c->k, &error);
  }
  if (nearest == NULL)
    measure_stop ("search", error);
  return nearest;
}

/* ---- FAISS ---- */

static MeasureScript
start_faiss (const Bench *bench, const Case *c, const AssayNearest *nearest)
{
  g_autofree char *sizes = g_strdup_printf (
      "{\"kind\": \"%s\", \"n\": %zu, \"rows\": %zu, \"cols\": %zu, \"k\": %zu, "
      "\"threads\": %u}",
      kinds[c->kind], bench->n_queries, bench->n_rows, c->cols, c->k, assay_parallel_threads ());

  write_file (bench, "sizes.json", sizes, strlen (sizes));
  write_file (bench, "found.i64", nearest->rows, nearest->n * nearest->k * sizeof (gsize));
  return measure_script_start (bench->options, (const char *[]){ bench->folder, NULL });
}

static void
run_faiss (MeasureScript *faiss, Samples *samples)
{
  double clock;

  measure_script_go (faiss);
  clock = measure_script_number (faiss);
  measure_add_seconds (samples, clock, measure_script_number (faiss));
}

/* What making the index took, and the share of the rows found that FAISS found too. */
static double
stop_faiss (MeasureScript *faiss, Samples *making)
{
  double clock, same;

  measure_script_finish (faiss);
  clock = measure_script_number (faiss);
  measure_add_seconds (making, clock, measure_script_number (faiss));
  same = measure_script_number (faiss);
  measure_script_clear (faiss);
  return same;
}

/* ---- Cases ---- */

/* Samples without any: NAN. */
static Times
times_of (const Samples *samples)
{
  return samples->n > 0 ? measure_times (samples) : (Times){ NAN, NAN, NAN };
}

static void
report_pair (Report *report, const Samples *ours, const Samples *theirs, const Samples *making)
{
  const Times assay = times_of (ours), faiss = times_of (theirs), made = times_of (making);

  report_times (report, "Assay s", assay);
  report_number (report, "CPU s", assay.cpu, 3);
  report_times (report, "FAISS s", faiss);
  report_number (report, "FAISS CPU s", faiss.cpu, 3);
  report_number (report, "FAISS / Assay", faiss.minimum / assay.minimum, 2);
  report_number (report, "FAISS / Assay, CPU", faiss.cpu / assay.cpu, 2);
  report_times (report, "FAISS, index s", made);
}

static void
run_case (Report *report, const Bench *bench, const Case *c)
{
  g_auto (Material) material = c->kind == CODES ? make_codes (bench, c->cols) : make_points (bench);
  g_autoptr (AssayNearest) nearest = search_once (&material, c);
  MeasureScript faiss = start_faiss (bench, c, nearest);
  Samples ours = { 0 }, theirs = { 0 }, making = { 0 };
  double same = NAN;

  for (int run = 0; run < bench->options->runs; run++) {
    const Moment start = measure_moment ();

    assay_nearest_free (search_once (&material, c));
    measure_add (&ours, start);
    if (faiss.from != NULL)
      run_faiss (&faiss, &theirs);
  }
  if (faiss.from != NULL)
    same = stop_faiss (&faiss, &making);
  if (same < 1)
    measure_stop ("FAISS did not find the same rows", NULL);
  if (c->kind == CODES)
    report_case (report, "Hamming, %zu bits, k = %zu", 8 * c->cols, c->k);
  else
    report_case (report, "%s, k = %zu", c->kind == L2 ? "L2" : "product", c->k);
  report_pair (report, &ours, &theirs, &making);
  report_number (report, "same", same, 4);
}

static void
remove_folder (const Bench *bench)
{
  static const char *const names[]
      = { "rows.u8", "queries.u8", "queries.f32", "found.i64", "sizes.json" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = path_of (bench, names[i]);

    g_unlink (path);
  }
  g_rmdir (bench->folder);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("search", 5, NULL, argc, argv);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-bench-XXXXXX", &error);
  const Bench bench = { .options = &options,
                        .n_queries = options.is_quick ? 100 : 1000,
                        .n_rows = options.is_quick ? 10000 : 200000,
                        .folder = folder };
  g_autofree char *about = g_strdup_printf ("%zu queries against %zu rows, beside FAISS",
                                            bench.n_queries, bench.n_rows);
  g_autoptr (Report) report = NULL;

  if (folder == NULL)
    measure_stop ("temporary folder", error);
  report = report_new (&options, SEED, about);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (report, &bench, &cases[i]);
  remove_folder (&bench);
  return 0;
}
