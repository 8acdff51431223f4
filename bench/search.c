/* How fast is a set searched for the k best rows of a query, beside FAISS? 1,000 queries against
 * 200,000 rows, a tenth and a twentieth of them with --quick: L2 (scan.h, dimension 0) and
 * inner products (search.h) among rows of 128 bytes, scaled to unit length on reading, and
 * Hamming distances among codes of 64 and of 256 bits. The rows are a mapped file.
 *
 *   bench-search [--sift FOLDER] [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick]
 *                [--json]
 *
 * FAISS (bench/search.py: IndexFlatL2, IndexFlatIP, IndexBinaryFlat) searches the same rows with
 * the same queries and threads, and both take turns. It holds the rows as float32 in its index, the
 * making of which is a column of its own; Assay converts them anew in each search. The benchmark
 * fails where the two did not find the same rows, but for those that are equally good.
 *
 * With real SIFT (FOLDER; by default sift in ASSAY_DATA) it goes on with approximate search for
 * points, scan-approximate.h beside IndexIVFFlat: as many lists and probes, by centres that
 * each has made itself; recall of both is counted against the exact search. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "bench/lifted.h"
#include "bench/measure.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/search/scan-approximate.h"

#define SEED 1
#define COLS 128

typedef enum { L2, PRODUCT, CODES, LISTS } Kind;

static const char *const kinds[] = { "l2", "product", "codes", "lists" };

typedef struct {
  Kind kind;
  gsize cols; /* bytes of a row */
  gsize k;
  AssayProbing probing; /* of lists */
} Case;

static const Case cases[] = {
  { .kind = L2, .cols = COLS, .k = 10 },      { .kind = L2, .cols = COLS, .k = 1010 },
  { .kind = PRODUCT, .cols = COLS, .k = 10 }, { .kind = PRODUCT, .cols = COLS, .k = 1010 },
  { .kind = CODES, .cols = 8, .k = 10 },      { .kind = CODES, .cols = 8, .k = 1010 },
  { .kind = CODES, .cols = 32, .k = 10 },     { .kind = CODES, .cols = 32, .k = 1010 },
};

static const gsize ks[] = { 10, 1010 };
static const gsize shares[] = { 64, 16, 4 }; /* one in so many lists is read */

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
map_rows (const Bench *bench, const guint8 *values, gsize cols)
{
  g_autofree char *path = path_of (bench, "rows.u8");
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GBytes) mapped = NULL;
  g_autoptr (GError) error = NULL;
  AssayRows *rows = assay_rows_new (cols);

  write_file (bench, "rows.u8", values, bench->n_rows * cols);
  file = g_mapped_file_new (path, FALSE, &error);
  if (file == NULL)
    measure_stop (path, error);
  mapped = g_mapped_file_get_bytes (file);
  assay_rows_append (rows, mapped, g_bytes_get_data (mapped, NULL), ASSAY_UINT8, cols,
                     bench->n_rows);
  return rows;
}

static Material
make_codes (const Bench *bench, gsize bytes)
{
  g_autofree guint8 *codes = draw_codes (bench->n_rows, bytes, "data");
  g_autoptr (AssayArray) queries
      = assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ bench->n_queries, bytes },
                          draw_codes (bench->n_queries, bytes, "queries"));
  Material material = { .rows = map_rows (bench, codes, bytes) };
  g_autoptr (GError) error = NULL;

  write_file (bench, "queries.u8", queries->data, bench->n_queries * bytes);
  material.codes = assay_codes_new (queries, 8 * bytes, &error);
  if (material.codes == NULL)
    measure_stop ("codes", error);
  return material;
}

/* The first rows of @queries; @rows are taken over. */
static Material
make_material (const Bench *bench, AssayRows *rows, const AssayRows *queries)
{
  Material material = { .rows = rows };
  g_autoptr (GError) error = NULL;

  material.points = assay_matrix_new (bench->n_queries, COLS, &error);
  if (material.points == NULL)
    measure_stop ("queries", error);
  assay_rows_read (queries, 0, bench->n_queries, ASSAY_SCALE_UNIT, material.points->data);
  write_file (bench, "queries.f32", material.points->data,
              bench->n_queries * COLS * sizeof (float));
  return material;
}

static Material
make_points (const Bench *bench)
{
  g_autofree char *path = path_of (bench, "rows.u8"), *other = path_of (bench, "queries.u8");
  g_autoptr (AssayRows) queries = lifted_rows (other, bench->n_queries, COLS, SEED + 1);

  return make_material (bench, lifted_rows (path, bench->n_rows, COLS, SEED), queries);
}

static Material
make_real_points (const Bench *bench, const AssayRows *real, const AssayRows *queries)
{
  const gsize count = bench->n_rows * COLS;
  g_autofree float *values = g_new (float, count);
  g_autofree guint8 *bytes = g_malloc (count);

  assay_rows_read (real, 0, bench->n_rows, ASSAY_SCALE_NONE, values);
  for (gsize i = 0; i < count; i++)
    bytes[i] = (guint8) values[i];
  return make_material (bench, map_rows (bench, bytes, COLS), queries);
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

    nearest = c->kind == L2
                  ? assay_scan_subspaces (&points, set.rows, set.scale, c->k, &error)
                  : assay_scan_approximately (&c->probing, &points, &set, c->k, NULL, &error);
  }
  if (nearest == NULL)
    measure_stop ("search", error);
  return nearest;
}

/* ---- FAISS ---- */

static MeasureScript
start_faiss (const Bench *bench, const Case *c, const AssayNearest *nearest)
{
  g_autofree char *sizes
      = g_strdup_printf ("{\"kind\": \"%s\", \"n\": %zu, \"rows\": %zu, \"cols\": %zu, \"k\": %zu, "
                         "\"threads\": %u, \"lists\": %zu, \"probes\": %zu}",
                         kinds[c->kind], bench->n_queries, bench->n_rows, c->cols, c->k,
                         assay_parallel_threads (), c->probing.lists, c->probing.probes);

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
report_pair (Report *report, const Samples *ours, const Samples *theirs)
{
  const Times assay = times_of (ours), faiss = times_of (theirs);

  report_times (report, "Assay s", assay);
  report_number (report, "CPU s", assay.cpu, 3);
  report_times (report, "FAISS s", faiss);
  report_number (report, "FAISS CPU s", faiss.cpu, 3);
  report_number (report, "FAISS / Assay", faiss.minimum / assay.minimum, 2);
  report_number (report, "FAISS / Assay, CPU", faiss.cpu / assay.cpu, 2);
}

/* Takes turns. Returns the share of the @expected rows that FAISS found; NAN: there is none. */
static double
take_turns (const Bench *bench, const Case *c, const Material *material,
            const AssayNearest *expected, Samples *ours, Samples *theirs, Samples *making)
{
  MeasureScript faiss = start_faiss (bench, c, expected);

  for (int run = 0; run < bench->options->runs; run++) {
    const Moment start = measure_moment ();

    assay_nearest_free (search_once (material, c));
    measure_add (ours, start);
    if (faiss.from != NULL)
      run_faiss (&faiss, theirs);
  }
  return faiss.from != NULL ? stop_faiss (&faiss, making) : NAN;
}

static void
run_case (Report *report, const Bench *bench, const Case *c)
{
  g_auto (Material) material = c->kind == CODES ? make_codes (bench, c->cols) : make_points (bench);
  g_autoptr (AssayNearest) nearest = search_once (&material, c);
  Samples ours = { 0 }, theirs = { 0 }, making = { 0 };
  const double same = take_turns (bench, c, &material, nearest, &ours, &theirs, &making);

  if (same < 1)
    measure_stop ("FAISS did not find the same rows", NULL);
  if (c->kind == CODES)
    report_case (report, "Hamming, %zu bits, k = %zu", 8 * c->cols, c->k);
  else
    report_case (report, "%s, k = %zu", c->kind == L2 ? "L2" : "product", c->k);
  report_pair (report, &ours, &theirs);
  report_number (report, "FAISS, index CPU s", times_of (&making).cpu, 3);
  report_number (report, "same", same, 4);
}

/* ---- Approximately ---- */

static double
recall_of (const AssayNearest *exact, const AssayNearest *found)
{
  gsize common = 0;

  for (gsize i = 0; i < exact->n; i++)
    for (gsize a = 0; a < exact->k; a++)
      for (gsize b = 0; b < found->k; b++)
        common += exact->rows[i * exact->k + a] == found->rows[i * found->k + b];
  return (double) common / (double) (exact->n * exact->k);
}

static void
run_probes (Report *report, const Bench *bench, const Case *c, const Material *material,
            const AssayNearest *exact, double exact_cpu, Samples *making)
{
  g_autoptr (AssayNearest) found = search_once (material, c);
  Samples ours = { 0 }, theirs = { 0 }, reading = { 0 };
  const double recall
      = take_turns (bench, c, material, exact, &ours, &theirs, making->n == 0 ? making : &reading);

  report_case (report, "L2, %zu of %zu lists, k = %zu", c->probing.probes, c->probing.lists, c->k);
  report_pair (report, &ours, &theirs);
  report_number (report, "exact CPU s", exact_cpu, 3);
  report_number (report, "recall", recall_of (exact, found), 4);
  report_number (report, "FAISS, recall", recall, 4);
}

/* Lists are kept with the rows; FAISS's in a file. */
static void
run_lists (Report *report, const Bench *all, const char *folder)
{
  g_autoptr (AssayRows) real = NULL;
  g_autoptr (AssayRows) queries = NULL;
  Bench bench = *all;
  g_auto (Material) material = { 0 };
  Samples ours = { 0 }, theirs = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayLists) lists = NULL;
  Moment start;

  lifted_open_sift (folder, &real, &queries);
  bench.n_rows = MIN (bench.n_rows, assay_rows_count (real));
  bench.n_queries = MIN (bench.n_queries, assay_rows_count (queries));
  material = make_real_points (&bench, real, queries);
  start = measure_moment ();
  lists
      = assay_lists_new (material.rows, ASSAY_SCALE_UNIT, assay_lists_count (bench.n_rows), &error);
  if (lists == NULL)
    measure_stop ("lists", error);
  measure_add (&ours, start);
  report_next_table (report);
  for (gsize i = 0; i < G_N_ELEMENTS (ks); i++) {
    const Case exactly = { .kind = L2, .cols = COLS, .k = ks[i] };
    g_autoptr (AssayNearest) exact = search_once (&material, &exactly);
    Times times;

    start = measure_moment ();
    assay_nearest_free (search_once (&material, &exactly));
    times = measure_once (start);
    for (gsize j = 0; j < G_N_ELEMENTS (shares); j++) {
      const Case c = { LISTS, COLS, ks[i], { lists->count, MAX (1, lists->count / shares[j]) } };

      run_probes (report, &bench, &c, &material, exact, times.cpu, &theirs);
    }
  }
  report_next_table (report);
  report_case (report, "making %zu lists of %zu rows", lists->count, bench.n_rows);
  report_number (report, "CPU s", times_of (&ours).cpu, 3);
  report_number (report, "FAISS CPU s", times_of (&theirs).cpu, 3);
}

int
main (int argc, char **argv)
{
  g_autofree char *given = NULL;
  const GOptionEntry own[]
      = { { "sift", 0, 0, G_OPTION_ARG_FILENAME, &given, "Where the .bvecs files are", "FOLDER" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("search", 5, own, argc, argv);
  g_autofree char *sift = lifted_sift_folder (given);
  g_auto (MeasureFolder) folder = measure_folder_new ();
  const Bench bench = { .options = &options,
                        .n_queries = options.is_quick ? 100 : 1000,
                        .n_rows = options.is_quick ? 10000 : 200000,
                        .folder = folder };
  g_autofree char *about = g_strdup_printf (
      "%zu queries against %zu rows, beside FAISS%s", bench.n_queries, bench.n_rows,
      sift == NULL ? "; no SIFT in ASSAY_DATA, so nothing approximate" : "");
  g_autoptr (Report) report = NULL;

  g_setenv ("ASSAY_CACHE", "", TRUE); /* lists are made, not found on disk */
  report = report_new (&options, SEED, about);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (report, &bench, &cases[i]);
  if (sift != NULL)
    run_lists (report, &bench, sift);
  return 0;
}
