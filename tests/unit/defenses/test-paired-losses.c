/* Losses of paired codes: against NumPy (tests/reference/paired_training.py), and their derivatives
 * against differences; and what the defenses that train with them make of a graph or of labels. */
#include "core/data/codes.h"
#include "core/data/kinds/paired-codes.h"
#include "defenses/graphs/structural-training.h"
#include "defenses/pairs/cosine-loss.h"
#include "defenses/pairs/likelihood-loss.h"
#include "tests/unit/defenses/paired-contrast.h"
#include "tests/unit/mechanism-case.h"

enum { COUNT = 6, BITS = 3, D_IMAGE = 4, D_TEXT = 3 };

/* By NumPy: the loss, and sums of its derivatives by u and by v, each times cos (i + 2 b). */
static const struct {
  const char *name;
  double numbers[3];
} cases[] = {
  { "structural", { 0.36244609680269535, 0.033064259661758424, 0.019775098600174276 } },
  { "zero", { 0.4843883931017977, 0.03882751410697485, 0.0039077174705180896 } },
  { "skip", { 0.30555785850739525, 0.0329218786636187, 0.016284304226328546 } },
  { "djsrh", { 8.138356990513866, -0.05330850495733325, -0.27186728701905555 } },
  { "jdsh", { 5.541116069785144, -0.29673237471317615, -0.43455897223890494 } },
  { "dcmh", { 1.5123846516819288, 0.01625615908558553, -0.08974674398490032 } },
  { "prdh", { 2.8088448315271077, 0.01768649716309688, -0.12048828734692046 } },
};

/* One of the losses, with all that it may need. */
typedef struct {
  AssayArena arena;
  AssayPairedLoss loss;
  gpointer data;
  StructuralLoss structural;
  CosineLoss cosine;
  LikelihoodLoss likelihood;
  AssayRelease *release;
  AssayWeightedGraph graph;
  AssayMatrix *rows[ASSAY_N_PAIRED];
} Setting;

static void
setting_clear (Setting *setting)
{
  assay_arena_clear (&setting->arena);
  assay_release_free (setting->release);
  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    assay_matrix_free (setting->rows[s]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Setting, setting_clear)

/* Weights ((i + j) mod 4) / 4; those of 0 are left out. */
static AssayRelease *
make_graph (void)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_GRAPH, "test");
  gint64 *indptr = g_new0 (gint64, COUNT + 1), *indices = g_new0 (gint64, COUNT * COUNT);
  float *weights = g_new0 (float, COUNT *COUNT);
  gsize slots = 0;

  for (gsize i = 0; i < COUNT; i++) {
    for (gsize j = 0; j < COUNT; j++)
      if (i != j && (i + j) % 4 > 0) {
        indices[slots] = (gint64) j;
        weights[slots++] = (float) ((i + j) % 4) / 4;
      }
    indptr[i + 1] = (gint64) slots;
  }
  assay_arrays_take (&release->arrays, "indptr",
                     assay_array_take (ASSAY_INT64, 1, &(gsize){ COUNT + 1 }, indptr));
  assay_arrays_take (&release->arrays, "indices",
                     assay_array_take (ASSAY_INT64, 1, &slots, indices));
  assay_arrays_take (&release->arrays, "weights",
                     assay_array_take (ASSAY_FLOAT32, 1, &slots, weights));
  return release;
}

static void
open_structural (Setting *setting, Diagonal diagonal)
{
  setting->release = make_graph ();
  setting->graph = assay_release_graph (setting->release);
  setting->structural = (StructuralLoss){
    .graph = &setting->graph, .diagonal = diagonal, .cross = 0.5, .quantisation = 0.1
  };
  cr_assert (structural_loss_init (&setting->structural, COUNT, BITS, &setting->arena, NULL));
  setting->loss = structural_loss;
  setting->data = &setting->structural;
}

static void
open_cosine (Setting *setting, const CosineMethod *method)
{
  const AssayPairedTraining training = { .bits = BITS, .batch = COUNT };
  AssayView views[ASSAY_N_PAIRED];

  for (guint s = 0; s < ASSAY_N_PAIRED; s++) {
    setting->rows[s] = assay_matrix_new (COUNT, s == 0 ? D_IMAGE : D_TEXT, NULL);
    for (gsize i = 0; i < COUNT; i++)
      for (gsize j = 0; j < setting->rows[s]->cols; j++)
        assay_matrix_row (setting->rows[s], i)[j]
            = (float) sin ((double) (2 + s) * (double) i + 1.3 * (double) j + 0.5 * (double) s);
    views[s] = assay_matrix_view (setting->rows[s]);
  }
  cr_assert (cosine_loss_init (&setting->cosine, method, views, &training, &setting->arena, NULL));
  setting->loss = cosine_loss;
  setting->data = &setting->cosine;
}

static void
open_likelihood (Setting *setting, double intra, double decorrelation)
{
  static const gint64 labels[] = { 4, 9, 4, 9, 4, 9 };

  setting->likelihood
      = (LikelihoodLoss){ .labels = labels, .intra = intra, .decorrelation = decorrelation };
  cr_assert (likelihood_loss_init (&setting->likelihood, COUNT, BITS, &setting->arena, NULL));
  setting->loss = likelihood_loss;
  setting->data = &setting->likelihood;
}

static void
open_case (gsize index, Setting *setting)
{
  switch (index) {
  case 0:
  case 1:
  case 2:
    open_structural (setting, (Diagonal) index);
    break;
  case 3:
  case 4:
    open_cosine (setting, index == 3 ? &cosine_djsrh : &cosine_jdsh);
    break;
  default:
    open_likelihood (setting, index == 5 ? 0 : 1, index == 5 ? 0 : 0.3);
  }
}

static void
fill_codes (double ret_u[COUNT * BITS], double ret_v[COUNT * BITS])
{
  for (gsize i = 0; i < COUNT; i++)
    for (gsize b = 0; b < BITS; b++) {
      ret_u[i * BITS + b] = 0.9 * sin (3 * (double) i + 5 * (double) b + 1);
      ret_v[i * BITS + b] = 0.8 * sin (7 * (double) i + 2 * (double) b + 4);
    }
}

static double
play (const Setting *setting, double *const codes[2], double slopes[2][COUNT * BITS])
{
  static const gsize items[COUNT] = { 0, 1, 2, 3, 4, 5 };
  const AssayPairedBatch batch = { items, COUNT, BITS, { codes[0], codes[1] } };

  memset (slopes, 0, 2 * sizeof slopes[0]);
  return setting->loss (&batch, setting->data, (double *const[]){ slopes[0], slopes[1] });
}

/* Features are float32 here: 1e-7 of numbers of size 1, some of them times 4. */
Test (paired_losses, are_those_of_numpy)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const double tolerance = c == 3 || c == 4 ? 1e-6 : 1e-12;
    g_auto (Setting) setting = { 0 };
    double u[COUNT * BITS], v[COUNT * BITS], slopes[2][COUNT * BITS];

    open_case (c, &setting);
    fill_codes (u, v);
    assert_near (play (&setting, (double *const[]){ u, v }, slopes), cases[c].numbers[0], tolerance,
                 "%s", cases[c].name);
    for (guint s = 0; s < 2; s++) {
      double sum = 0;

      for (gsize i = 0; i < COUNT; i++)
        for (gsize b = 0; b < BITS; b++)
          sum += slopes[s][i * BITS + b] * cos ((double) i + 2 * (double) b);
      assert_near (sum, cases[c].numbers[1 + s], tolerance, "%s, side %u", cases[c].name, s);
    }
  }
}

Test (paired_losses, derivatives_are_differences)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (Setting) setting = { 0 };
    double u[COUNT * BITS], v[COUNT * BITS], slopes[2][COUNT * BITS], other[2][COUNT * BITS];
    double *const codes[] = { u, v };

    open_case (c, &setting);
    fill_codes (u, v);
    play (&setting, codes, slopes);
    for (guint s = 0; s < 2; s++)
      for (gsize k = 0; k < COUNT * BITS; k++) {
        const double number = codes[s][k], h = 1e-6;
        double sides[2];

        for (guint e = 0; e < 2; e++) {
          codes[s][k] = number + (e == 0 ? h : -h);
          sides[e] = play (&setting, codes, other);
        }
        codes[s][k] = number;
        assert_near (slopes[s][k], (sides[0] - sides[1]) / (2 * h), 1e-8, "%s, side %u, number %zu",
                     cases[c].name, s, k);
      }
  }
}

/* ---- The defenses ---- */

enum { N = 90, FIRST = 6, COLS = 10 };

/* Three groups, of which features say a little: items i, i + 3, ... Joined are all of a group; or
 * i and i + 1, where there are no triangles. */
typedef enum { NO_GRAPH, GROUPS, PATH } Joined;

static AssayRelease *
release_of (const char *id, const char *assignments, Joined joined, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) items = fixture_normal (N, COLS, 3);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AssayArray) edges = NULL;
  const AssayStreamKey key = assay_stream_key (4, 0, "release", "");
  const AssayKnowledge nothing = { .database = NULL };
  AssaySecrets secrets = { .first_cols = FIRST };
  AssayRelease *release = NULL;
  g_autoptr (AssayTruth) truth = NULL;

  for (gsize i = 0; i < N; i++) {
    assay_matrix_row (items, i)[i % 3] += 1.5f;
    assay_matrix_row (items, i)[FIRST + i % 3] += 1.5f;
  }
  secrets.rows = assay_matrix_view (items);
  for (gint64 i = 0; i < N; i++)
    for (gint64 j = i + 1; j < N; j++)
      if (joined == GROUPS ? i % 3 == j % 3 : j == i + 1)
        g_array_append_vals (links, ((const gint64[]){ i, j }), 2);
  edges = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ links->len / 2, 2 },
                            g_memdup2 (links->data, links->len * sizeof (gint64)));
  secrets.edges = joined != NO_GRAPH ? edges : NULL;
  if (!assay_step_protect (
          (const AssayDefense *) plugin,
          &(AssayProtecting){
              .settings = settings, .stream = key, .common = key, .knowledge = &nothing },
          &secrets, &release, &truth, error))
    return NULL;
  return release;
}

#define SHORT "steps=100 bits=8 batch=64 learning_rate=0.02 "

/* A graph that is released without noise pulls the codes of joined items together. */
Test (dmp_mh, codes_learn_the_graph)
{
  g_autoptr (AssayRelease) learned = release_of ("dmp-mh", SHORT "noise=no bound=40", GROUPS, NULL);
  g_autoptr (AssayRelease) silent = release_of ("dmp-mh", SHORT "graph=none", GROUPS, NULL);

  cr_assert_gt (paired_contrast (learned), paired_contrast (silent) + 0.1, "%g, %g",
                paired_contrast (learned), paired_contrast (silent));
}

/* The control needs no graph, and gives the same codes where there is one. */
Test (dmp_mh, control_sees_no_graph)
{
  g_autoptr (AssayRelease) with = release_of ("dmp-mh", SHORT "graph=none", GROUPS, NULL);
  g_autoptr (AssayRelease) without = release_of ("dmp-mh", SHORT "graph=none", NO_GRAPH, NULL);
  g_autoptr (GError) error = NULL;

  for (guint s = 0; s < ASSAY_N_PAIRED; s++)
    cr_assert_eq (memcmp (assay_arrays_get (&with->arrays, assay_paired_codes[s])->data,
                          assay_arrays_get (&without->arrays, assay_paired_codes[s])->data, N),
                  0);
  cr_assert_null (release_of ("dmp-mh", SHORT, NO_GRAPH, &error));
  cr_assert (strstr (error->message, "expected a dataset with a private graph"), "%s",
             error->message);
}

/* Without triangles all weights are the same, and what comes of it are codes all the same, for
 * fewer items than a batch has. */
Test (dmp_mh, no_triangles)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRelease) release
      = release_of ("dmp-mh", "steps=20 bits=8 batch=256 noise=no", PATH, &error);

  cr_assert_not_null (release, "%s", error != NULL ? error->message : "");
  cr_assert_eq (assay_release_count (release), N);
}

/* It claims what dmp-graph does, and without noise or graph nothing. */
Test (dmp_mh, claim_is_that_of_the_graph)
{
  static const struct {
    const char *assignments;
    gboolean is_claimed;
  } rows[] = { { "bound=10", TRUE }, { "bound=10 noise=no", FALSE }, { "graph=none", FALSE } };

  for (gsize r = 0; r < G_N_ELEMENTS (rows); r++) {
    g_auto (Case) c = case_of ("dmp-mh", rows[r].assignments, 2);

    cr_assert_eq (assay_defense_mechanism (c.defense, c.settings->values) != NULL,
                  rows[r].is_claimed, "%s", rows[r].assignments);
  }
}

Test (likelihood, codes_learn_what_is_alike)
{
  static const char *const ids[] = { "dcmh", "prdh" };

  for (gsize d = 0; d < G_N_ELEMENTS (ids); d++) {
    g_autoptr (AssayRelease) learned = release_of (ids[d], SHORT "target=graph", GROUPS, NULL);
    g_autoptr (GError) error = NULL;

    cr_assert_gt (paired_contrast (learned), 0.2, "%s: %g", ids[d], paired_contrast (learned));
    cr_assert_null (release_of (ids[d], SHORT, GROUPS, &error));
    cr_assert (strstr (error->message, "with labels of the secrets, or target = graph"), "%s",
               error->message);
    g_clear_error (&error);
    cr_assert_null (release_of (ids[d], SHORT "target=graph", NO_GRAPH, &error));
    cr_assert (strstr (error->message, "or target = labels"), "%s", error->message);
  }
}

/* ---- A training that diverges ---- */

/* A rate that no scenario may have: numbers of the first step are finite, all else is not. */
static void
set_rate (AssaySettings *settings, double rate)
{
  *(double *) ((char *) settings->values
               + assay_param_find (settings->table, "learning_rate")->offset)
      = rate;
}

/* What @id makes of it, without the checks of a release, which has weights beyond floats. */
static gboolean
diverging_of (const char *id, const char *assignments, AssayTruth *truth, GError **error)
{
  static gint64 labels[N];
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
  const AssayDefense *defense = (const AssayDefense *) plugin;
  g_autoptr (AssaySettings) settings = fixture_settings (plugin, assignments);
  g_autoptr (AssayMatrix) items = fixture_normal (N, COLS, 3);
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_PAIRED_CODES, id);
  g_autoptr (AssayArray) edges
      = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 2, 2 },
                          g_memdup2 ((const gint64[]){ 0, 1, 1, 2 }, 4 * sizeof (gint64)));
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (4, 0, "release", ""),
                                        .common_stream = assay_stream_key (4, 0, "common", ""),
                                        .labels = labels,
                                        .n_classes = 3,
                                        .edges = edges,
                                        .first_cols = FIRST };

  for (gsize i = 0; i < N; i++)
    labels[i] = (gint64) i % 3;
  set_rate (settings, 1e308);
  return defense->protect (&context, assay_matrix_view (items), release, truth, error);
}

static const char *const trained[] = { "dcmh", "prdh", "djsrh", "jdsh", "dmp-mh", "block-mh" };

Test (paired_training, an_unfinished_one_is_said)
{
  for (gsize d = 0; d < G_N_ELEMENTS (trained); d++) {
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    g_autoptr (GError) error = NULL;

    cr_assert (diverging_of (trained[d], "steps=20 bits=8 hidden=16 batch=90", truth, &error),
               "%s: %s", trained[d], error != NULL ? error->message : "");
    cr_assert_str_eq (truth->says,
                      "training diverged by batch 2 of 20 (learning_rate = 1e+308): the codes are "
                      "of the weights after batch 1",
                      "%s: %s", trained[d], truth->says);
  }
}

/* Two batches a pass: there are no weights to keep. */
Test (paired_training, none_before_it_is_an_error)
{
  for (gsize d = 0; d < G_N_ELEMENTS (trained); d++) {
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    g_autoptr (GError) error = NULL;
    g_autofree char *why = NULL;

    cr_assert_not (diverging_of (trained[d], "steps=20 bits=8 hidden=16 batch=45", truth, &error));
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_NUMERIC,
                                 "training diverges in step 2 of 20, before a pass over the items "
                                 "was complete (learning rate 1e+308); expected a lower one",
                                 NULL, &why),
               "%s: %s", trained[d], why);
    cr_assert_null (truth->says);
  }
}
