/* How far does mixture-inversion take cross-dataset InstaHide back, and in what time? CIFAR-10
 * secrets mixed with photographs' patches (data of ASSAY_DATA), each pixel normalised by its
 * channel's mean and deviation over the set, and each estimate compared with the secret that it is
 * most like: magnitude of the correlation, best pairs first. 5,000 mixtures of 100 secrets where a
 * row does not say otherwise; the table main is the last step of steps, and one of the sizes.
 *
 *   bench-mixture-inversion [--table main|steps|labels|epochs|public|sizes|hard|all] [--row TEXT]
 *                           [--grey] [--threads N] [--seed N] [--seeds N] [--quick] [--json]
 *   bench-mixture-inversion --table reliability --grey --seed 101 --seeds 4
 *
 * The second line is what the confidences of pictures are fitted to, with seeds that no test uses:
 * rows that succeed and that fail, then a table of confidences beside the share that is right.
 *
 * The tables of docs/papers/instahide.md are what it prints. Each case runs once; --quick takes
 * 10 secrets, each in 10 mixtures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/reliability.h"
#include "core/games/control.h"

#define SIDE 32
#define CHANNELS 3
#define COLS (SIDE * SIDE * CHANNELS)
#define RECORD (COLS + 1)
#define CLASSES 10

/* What the attacker is told wrongly. */
typedef enum {
  NOTHING,
  INVENTED_LABELS, /* those of other mixtures, in another order */
  UNIT_PUBLIC,     /* public images from 0 to 1 where the release is normalised */
} Twist;

typedef struct {
  gsize n_secrets;
  gsize epochs;
  gsize k;
  gboolean labels;
  const char *public_known; /* file of the attack's public images */
  int matchings;            /* negative: the default */
  int rounds;
  const char *made; /* more settings of the defense, "NAME=VALUE NAME=VALUE" */
  Twist twist;
} Case;

typedef struct {
  double median;
  gsize above_8; /* of the secrets, at a correlation above 0.8 */
  gsize above_5;
  double confidence;
  Times times;
} Outcome;

/* ---- Data ---- */

/* Normalised images of a CIFAR file, height x width x channels. */
static AssayMatrix *
read_images (const char *name, gint64 **ret_labels)
{
  const char *folder = g_getenv ("ASSAY_DATA");
  g_autofree char *path = g_build_filename (folder != NULL ? folder : ".", name, NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  AssayMatrix *images;
  gsize size, n;

  if (!g_file_get_contents (path, &bytes, &size, &error))
    measure_stop (path, error);
  n = size / RECORD;
  images = assay_matrix_new (n, COLS, &error);
  if (images == NULL)
    measure_stop (path, error);
  if (ret_labels != NULL)
    *ret_labels = g_new (gint64, n);
  for (gsize channel = 0; channel < CHANNELS; channel++) {
    const gsize plane = COLS / CHANNELS;
    double sum = 0, square = 0, mean, deviation;

    for (int pass = 0; pass < 2; pass++) {
      mean = sum / (double) (n * plane);
      deviation = sqrt (MAX (square / (double) (n * plane) - mean * mean, 1e-9));
      for (gsize i = 0; i < n; i++)
        for (gsize p = 0; p < plane; p++) {
          const double value = (guint8) bytes[i * RECORD + 1 + channel * plane + p];

          if (pass == 0) {
            sum += value;
            square += value * value;
          } else {
            images->data[i * COLS + p * CHANNELS + channel] = (float) ((value - mean) / deviation);
          }
        }
    }
  }
  for (gsize i = 0; ret_labels != NULL && i < n; i++)
    (*ret_labels)[i] = (guint8) bytes[i * RECORD];
  return images;
}

static gsize side = SIDE, channels = CHANNELS, cols = COLS; /* as images are mixed */

/* Means of the three channels: a third of the numbers. */
static AssayMatrix *
to_grey (AssayMatrix *taken)
{
  g_autoptr (AssayMatrix) colour = taken;
  AssayMatrix *grey;

  if (channels == CHANNELS)
    return g_steal_pointer (&colour);
  grey = assay_matrix_new (colour->rows, cols, NULL);
  for (gsize i = 0; i < colour->rows * cols; i++)
    for (gsize c = 0; c < CHANNELS; c++)
      grey->data[i] += colour->data[i * CHANNELS + c] / CHANNELS;
  return grey;
}

static void
set_number (AssaySettings *settings, const char *name, gsize number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GSIZE_FORMAT, number);
  g_autoptr (GError) error = NULL;

  if (!assay_settings_set (settings, name, text, &error))
    measure_stop (name, error);
}

static AssayRelease *
protect (const Case *c, const AssayMatrix *secrets, const gint64 *labels, AssayRows *mixed_with,
         guint64 seed)
{
  const AssayDefense *defense
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "instahide-cross", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (defense->parameters, defense->settings_size);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;
  AssayDefenseContext context
      = { .stream = assay_stream_key (seed, 0, "defense", "bench"),
          .public_rows = mixed_with,
          .labels = labels,
          .n_classes = CLASSES,
          .geometry = { .height = side, .width = side, .channels = channels } };
  g_auto (GStrv) more = g_strsplit (c->made != NULL ? c->made : "", " ", -1);

  for (gsize i = 0; c->made != NULL && more[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (more[i], "=", 2);

    if (!assay_settings_set (settings, words[0], words[1], &error))
      measure_stop (more[i], error);
  }
  set_number (settings, "k", c->k);
  set_number (settings, "epochs", c->epochs);
  context.settings = settings->values;
  release->geometry = context.geometry;
  if (!defense->protect (&context, assay_matrix_view (secrets), release, truth, &error))
    measure_stop (defense->id, error);
  g_free (release->settings);
  release->settings = g_strdup_printf (
      "{\"k\": %" G_GSIZE_FORMAT ", \"epochs\": %" G_GSIZE_FORMAT "}", c->k, c->epochs);
  return release;
}

/* ---- Twists ---- */

/* Each mixture gets the label of another. */
static void
invent_labels (AssayRelease *release, guint64 seed)
{
  const AssayView labels = assay_array_view (assay_arrays_get (&release->arrays, "labels"));
  g_autofree gsize *order = g_new (gsize, labels.rows);
  g_autofree float *kept = g_memdup2 (labels.data, labels.rows * labels.cols * sizeof (float));
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "labels", "bench"), 0);

  assay_stream_permutation (&stream, labels.rows, order);
  for (gsize i = 0; i < labels.rows; i++)
    memcpy ((float *) (gpointer) labels.data + i * labels.cols, kept + order[i] * labels.cols,
            labels.cols * sizeof (float));
}

/* From the least to the greatest of all numbers. */
static void
to_unit (AssayMatrix *images)
{
  float least = images->data[0], most = images->data[0];

  for (gsize i = 0; i < images->rows * images->cols; i++) {
    least = MIN (least, images->data[i]);
    most = MAX (most, images->data[i]);
  }
  for (gsize i = 0; i < images->rows * images->cols; i++)
    images->data[i] = (images->data[i] - least) / (most - least);
}

/* ---- Measuring ---- */

static void
standardise (float *row)
{
  double mean = 0, square = 0;

  for (gsize j = 0; j < cols; j++)
    mean += row[j] / (double) cols;
  for (gsize j = 0; j < cols; j++)
    square += (row[j] - mean) * (row[j] - mean);
  for (gsize j = 0; j < cols; j++)
    row[j] = (float) ((row[j] - mean) / sqrt (MAX (square, 1e-30)));
}

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Of each picture the likeness with the secret that it is most like. */
static void
gather_pictures (const double *likeness, gsize n, gsize m, const double *confidences,
                 Reliability *gathered)
{
  for (gsize e = 0; e < m; e++) {
    double most = 0;

    for (gsize i = 0; i < n; i++)
      most = MAX (most, likeness[i * m + e]);
    reliability_add (gathered, confidences[e], most);
  }
}

static void
compare_images (const AssayMatrix *secrets, const AssayGuess *given, Reliability *gathered,
                Outcome *ret_outcome)
{
  const AssayArray *guess = assay_arrays_get (&given->arrays, "estimates");
  const AssayArray *sure = assay_arrays_get (&given->arrays, "confidences");
  const gsize n = secrets->rows, m = guess->shape[0];
  g_autoptr (AssayMatrix) truth = assay_matrix_copy (assay_matrix_view (secrets), NULL);
  g_autoptr (AssayMatrix) estimates = assay_matrix_copy (assay_array_view (guess), NULL);
  g_autofree double *likeness = g_new0 (double, n *m);
  g_autofree double *found = g_new0 (double, n);

  for (gsize i = 0; i < n; i++)
    standardise (assay_matrix_row (truth, i));
  for (gsize e = 0; e < m; e++)
    standardise (assay_matrix_row (estimates, e));
  for (gsize i = 0; i < n; i++)
    for (gsize e = 0; e < m; e++) {
      for (gsize j = 0; j < cols; j++)
        likeness[i * m + e] += (double) truth->data[i * cols + j] * estimates->data[e * cols + j];
      likeness[i * m + e] = fabs (likeness[i * m + e]);
    }
  gather_pictures (likeness, n, m, (const double *) (gconstpointer) sure->data, gathered);
  for (gsize round = 0; round < MIN (n, m); round++) {
    gsize best = 0;

    for (gsize i = 1; i < n * m; i++)
      if (likeness[i] > likeness[best])
        best = i;
    found[best / m] = likeness[best];
    for (gsize e = 0; e < m; e++)
      likeness[best / m * m + e] = -1;
    for (gsize i = 0; i < n; i++)
      likeness[i * m + best % m] = -1;
  }
  ret_outcome->above_8 = ret_outcome->above_5 = 0;
  for (gsize i = 0; i < n; i++) {
    ret_outcome->above_8 += found[i] > 0.8;
    ret_outcome->above_5 += found[i] > 0.5;
  }
  qsort (found, n, sizeof *found, compare);
  ret_outcome->median = (found[(n - 1) / 2] + found[n / 2]) / 2;
}

static Outcome
run_case (const Case *c, guint64 seed, Reliability *gathered)
{
  const AssayAttack *inversion
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "mixture-inversion", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (inversion->parameters, inversion->settings_size);
  g_autofree gint64 *all_labels = NULL;
  g_autofree gint64 *labels = g_new (gint64, c->n_secrets);
  g_autoptr (AssayMatrix) all = to_grey (read_images ("cifar10/cifar10_train10k.bin", &all_labels));
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (c->n_secrets, cols, NULL);
  g_autofree gsize *chosen = g_new (gsize, c->n_secrets);
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "secrets", "bench"), 0);
  g_autoptr (AssayRows) mixed_with
      = assay_rows_take_matrix (to_grey (read_images ("photos/imagenet_patches32.bin", NULL)));
  AssayMatrix *told = to_grey (read_images (c->public_known, NULL));
  g_autoptr (AssayRows) known = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;
  AssayAttackContext context = { .stream = assay_stream_key (seed, 0, "attack", "bench") };
  AssayObservation seen = { 0 };
  Outcome outcome;
  Moment start;

  if (c->twist == UNIT_PUBLIC)
    to_unit (told);
  known = assay_rows_take_matrix (told);
  assay_stream_choose (&stream, all->rows, c->n_secrets, chosen);
  for (gsize i = 0; i < c->n_secrets; i++) {
    memcpy (assay_matrix_row (secrets, i), assay_matrix_row (all, chosen[i]),
            cols * sizeof (float));
    labels[i] = all_labels[chosen[i]];
  }
  release = protect (c, secrets, labels, mixed_with, seed);
  if (c->twist == INVENTED_LABELS)
    invent_labels (release, seed);
  if (!c->labels)
    assay_settings_set (settings, "labels", "no", NULL);
  if (c->matchings >= 0)
    set_number (settings, "matchings", (gsize) c->matchings);
  if (c->rounds >= 0)
    set_number (settings, "rounds", (gsize) c->rounds);
  context.settings = settings->values;
  seen = (AssayObservation){ .release = release, .public_rows = known };
  start = measure_moment ();
  if (!assay_attack_run (inversion, &context, &seen, guess, &error))
    measure_stop ("attack", error);
  outcome.times = measure_once (start);
  outcome.confidence = guess->confidence;
  compare_images (secrets, guess, gathered, &outcome);
  return outcome;
}

/* ---- Tables ---- */

#define USED "photos/imagenet_patches32.bin"
#define OTHER "cifar10/cifar10_test2k.bin"
#define DEFAULT -1

typedef struct {
  const char *name;
  const char *row; /* what the case is called */
  Case c;
} Row;

/* Where it was known to fail. */
#define HARD(row, n, epochs, k, labels, known, made, twist)                                        \
  {                                                                                                \
    "hard", row,                                                                                   \
    {                                                                                              \
      n, epochs, k, labels, known, DEFAULT, DEFAULT, made, twist                                   \
    }                                                                                              \
  }

#define SMALL(row, epochs, k, labels, known, made, twist)                                          \
  {                                                                                                \
    "reliability", row,                                                                            \
    {                                                                                              \
      40, epochs, k, labels, known, DEFAULT, DEFAULT, made, twist                                  \
    }                                                                                              \
  }

/* What stands in each line: secrets, epochs, k, labels, public set, matchings, rounds. */
static const Row rows[] = {
  { "main", "k 4", { 100, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "main", "k 6", { 100, 50, 6, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "steps", "k 4: clusters, images", { 100, 50, 4, TRUE, USED, 0, 0, NULL, NOTHING } },
  { "steps", "k 4: pairs by squares", { 100, 50, 4, TRUE, USED, 1, 0, NULL, NOTHING } },
  { "steps", "k 4: public images, once", { 100, 50, 4, TRUE, USED, 1, 1, NULL, NOTHING } },
  { "steps", "k 4: the same, twice", { 100, 50, 4, TRUE, USED, 1, 2, NULL, NOTHING } },
  { "steps", "k 6: clusters, images", { 100, 50, 6, TRUE, USED, 0, 0, NULL, NOTHING } },
  { "steps", "k 6: pairs by squares", { 100, 50, 6, TRUE, USED, 1, 0, NULL, NOTHING } },
  { "steps", "k 6: public images, once", { 100, 50, 6, TRUE, USED, 1, 1, NULL, NOTHING } },
  { "steps", "k 6: the same, twice", { 100, 50, 6, TRUE, USED, 1, 2, NULL, NOTHING } },
  { "labels", "k 4, no labels", { 100, 50, 4, FALSE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "labels", "k 6, no labels", { 100, 50, 6, FALSE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "labels",
    "k 4, no labels: clusters, images",
    { 100, 50, 4, FALSE, USED, 0, 0, NULL, NOTHING } },
  { "labels",
    "k 6, no labels: clusters, images",
    { 100, 50, 6, FALSE, USED, 0, 0, NULL, NOTHING } },
  { "epochs",
    "k 4, 10 mixtures each",
    { 100, 10, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "epochs",
    "k 4, 20 mixtures each",
    { 100, 20, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "epochs",
    "k 6, 10 mixtures each",
    { 100, 10, 6, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "epochs",
    "k 6, 20 mixtures each",
    { 100, 20, 6, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "public",
    "k 4, other public set",
    { 100, 50, 4, TRUE, OTHER, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "public",
    "k 6, other public set",
    { 100, 50, 6, TRUE, OTHER, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "sizes",
    "k 4, 25 secrets, 1,250 mixtures",
    { 25, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "sizes",
    "k 4, 50 secrets, 2,500 mixtures",
    { 50, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  { "sizes",
    "k 4, 200 secrets, 10,000 mixtures",
    { 200, 50, 4, TRUE, USED, DEFAULT, DEFAULT, NULL, NOTHING } },
  HARD ("k 4, no labels", 100, 50, 4, FALSE, USED, NULL, NOTHING),
  HARD ("k 6, no labels", 100, 50, 6, FALSE, USED, NULL, NOTHING),
  HARD ("k 6, 20 mixtures each", 100, 20, 6, TRUE, USED, NULL, NOTHING),
  HARD ("k 4, 10 mixtures each", 100, 10, 4, TRUE, USED, NULL, NOTHING),
  HARD ("k 4, private flips", 50, 50, 4, TRUE, USED, "private_flips=yes", NOTHING),
  HARD ("k 4, private crops and flips", 50, 50, 4, TRUE, USED, "private_crops=4 private_flips=yes",
        NOTHING),
  HARD ("k 6, public crops and flips", 50, 50, 6, TRUE, USED, "crops=4 flips=yes", NOTHING),
  HARD ("k 4, other public set", 100, 50, 4, TRUE, OTHER, NULL, NOTHING),
  HARD ("k 6, other public set", 100, 50, 6, TRUE, OTHER, NULL, NOTHING),
  HARD ("k 4, noise of 0.3", 100, 50, 4, TRUE, USED, "noise=0.3", NOTHING),
  HARD ("k 4, public images from 0 to 1", 50, 50, 4, TRUE, USED, NULL, UNIT_PUBLIC),
  HARD ("k 4, invented labels", 100, 50, 4, TRUE, USED, NULL, INVENTED_LABELS),
  SMALL ("k 4, 50 mixtures each", 50, 4, TRUE, USED, NULL, NOTHING),
  SMALL ("k 6, 50 mixtures each", 50, 6, TRUE, USED, NULL, NOTHING),
  SMALL ("k 4, 20 mixtures each", 20, 4, TRUE, USED, NULL, NOTHING),
  SMALL ("k 6, 20 mixtures each", 20, 6, TRUE, USED, NULL, NOTHING),
  SMALL ("k 4, 10 mixtures each", 10, 4, TRUE, USED, NULL, NOTHING),
  SMALL ("k 4, no labels", 50, 4, FALSE, USED, NULL, NOTHING),
  SMALL ("k 6, no labels", 50, 6, FALSE, USED, NULL, NOTHING),
  SMALL ("k 4, other public set", 50, 4, TRUE, OTHER, NULL, NOTHING),
  SMALL ("k 4, noise of 0.2", 50, 4, TRUE, USED, "noise=0.2", NOTHING),
};

static void
report_row (Report *report, const Row *row, guint64 seed, Reliability *gathered)
{
  Case c = row->c;
  Outcome outcome;

  if (report->options->is_quick) {
    c.n_secrets = 10;
    c.epochs = 10;
  }
  outcome = run_case (&c, seed, gathered);
  report_case (report, "%s", row->row);
  report_number (report, "median", outcome.median, 3);
  report_number (report, "secrets", (double) c.n_secrets, 0);
  report_number (report, "above .8", (double) outcome.above_8, 0);
  report_number (report, "above .5", (double) outcome.above_5, 0);
  report_number (report, "confidence", outcome.confidence, 3);
  report_times (report, "s", outcome.times);
  report_number (report, "CPU s", outcome.times.cpu, 1);
}

int
main (int argc, char **argv)
{
  g_autofree char *table = NULL;
  g_autofree char *only = NULL;
  gboolean is_grey = FALSE;
  int seed = 1, seeds = 1;
  const GOptionEntry own[]
      = { { "table", 0, 0, G_OPTION_ARG_STRING, &table,
            "main, steps, labels, epochs, public, sizes, hard, reliability or all (all)", "NAME" },
          { "grey", 0, 0, G_OPTION_ARG_NONE, &is_grey, "Means of the three channels", NULL },
          { "row", 0, 0, G_OPTION_ARG_STRING, &only, "Rows whose name holds TEXT", "TEXT" },
          { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Which secrets and mixtures (1)", "N" },
          { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "Seeds from there on (1)", "N" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("mixture-inversion", 1, own, argc, argv);
  g_autoptr (Report) report = NULL;
  g_auto (Reliability) gathered = reliability_new ();

  if (seed < 0)
    measure_stop ("--seed: expected 0 or more", NULL);
  channels = is_grey ? 1 : CHANNELS;
  cols = side * side * channels;
  report = report_new (&options, (guint64) seed, "Correlations of estimates with secrets");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((table == NULL || g_str_equal (table, "all") || g_str_equal (table, rows[i].name))
        && (only == NULL || strstr (rows[i].row, only) != NULL))
      for (int s = 0; s < seeds; s++)
        report_row (report, &rows[i], (guint64) (seed + s), &gathered);
  if (g_strcmp0 (table, "reliability") == 0)
    reliability_report (&gathered, report);
  return 0;
}
