/* Generated data for scenarios to begin with, and what of them suits which defense. */
#include "cli/help/starter-homes.h"

#define VALUES_OWN                                                                                 \
  "An audit of the mechanism chooses its own neighbouring inputs: the secrets only say how many "  \
  "numbers one has."

const CliBase cli_bases[CLI_N_BASES] = {
  [DESCRIPTORS]
  = { .about = "SIFT descriptors of generated photographs. A photograph is the unit of the "
               "intervals on rates, so that 80 private ones matter more than many descriptors.",
      .group = "plugin = scenes\nprivate_images = 80\nsecrets = 300\n",
      .own = "Your own: plugin = photos with private, public and database = FOLDER, or plugin = "
             "vectors with private, public and database = FILE (.npy, .fvecs).",
      .trials = 5,
      .kinds = ASSAY_RELEASE_SUBSPACES | ASSAY_RELEASE_VECTOR_SETS | ASSAY_RELEASE_VECTORS },
  [IMAGES]
  = { .about = "Small generated images with labels, test images, and public images beside them.",
      .group = "plugin = shapes\nsize = 16\nchannels = 1\npublic_images = 500\nsecrets = 200\n",
      .own = "Your own: plugin = idx or cifar with images = FILE and public = FILE or FOLDER, or "
             "plugin = patches with private and public = FOLDER of photographs.",
      .trials = 3,
      .kinds = ASSAY_RELEASE_MIXTURES | ASSAY_RELEASE_GRADIENTS | ASSAY_RELEASE_NETWORK,
      .has_pictures = TRUE,
      .bounds = { "recovery-rate=0.05", "pair-auc=0.55" } },
  [FEATURES]
  = { .about
      = "Generated feature vectors with labels, test rows for searches, and among the public "
        "rows another record of each secret.",
      .group = "plugin = gaussian-classes\ncount = 5000\nrecords = yes\nsecrets = 1000\n",
      .own = "Your own: plugin = vectors with private, public, labels, test and test_labels = FILE "
             "(.npy, .fvecs, .bvecs), and records = yes.",
      .trials = 5,
      .kinds = ASSAY_RELEASE_CODES },
  [SAMPLES]
  = { .about = "Generated feature vectors with labels: what users train on, public ones of which "
               "the first model is made, and test rows.",
      .group
      = "plugin = gaussian-classes\ncount = 2400\ncolumns = 12\nclasses = 4\nsecrets = 100\n",
      .own = "Your own: plugin = vectors with private, labels, public, public_labels, test and "
             "test_labels = FILE (.npy, .fvecs, .bvecs).",
      .trials = 20, /* users' samples are no units: sums of updates are, and 10 are needed */
      .kinds = ASSAY_RELEASE_UPDATES,
      .bounds = { "sample-recovery-rate=0.30", "weight-claims-right=0.50" } },
  [BITS] = { .about = "Codes of eight random bits. " VALUES_OWN,
             .group = "plugin = values\nkind = bits\ncolumns = 8\n",
             .trials = 1,
             .kinds = ASSAY_RELEASE_VECTORS,
             .audits_only = TRUE },
  [TEN_VALUES] = { .about = "Whole numbers from 0 to 9. " VALUES_OWN,
                   .group = "plugin = values\nvalues = 10\n",
                   .trials = 1,
                   .kinds = ASSAY_RELEASE_STATISTICS,
                   .audits_only = TRUE },
  [FOUR_COLUMNS] = { .about = "Rows of four numbers. " VALUES_OWN,
                     .group = "plugin = values\nkind = real\ncolumns = 4\n",
                     .trials = 1,
                     .kinds = ASSAY_RELEASE_STATISTICS,
                     .audits_only = TRUE },
  [MANY_VALUES] = { .about = "Whole numbers from 0 to 199. " VALUES_OWN,
                    .group = "plugin = values\nvalues = 200\n",
                    .trials = 1,
                    .kinds = ASSAY_RELEASE_VECTOR_SETS,
                    .audits_only = TRUE },
  [ANSWERS] = { .about = "Answers to five queries each. " VALUES_OWN,
                .group = "plugin = values\nkind = real\ncolumns = 5\n",
                .trials = 1,
                .kinds = ASSAY_RELEASE_VECTORS,
                .audits_only = TRUE },
  [ITEMS]
  = { .about = "Generated feature vectors with labels, on which a graph is made up. An audit "
               "of the mechanism makes graphs of its own.",
      .group = "plugin = gaussian-classes\ncount = 2000\ncolumns = 32\nsecrets = 200\n",
      .trials = 1,
      .kinds = ASSAY_RELEASE_GRAPH,
      .audits_only = TRUE },
  [PAIRS]
  = { .about = "Generated items of two modalities with labels, queries, and a private graph of "
               "interactions between them.",
      .group = "plugin = interactions\ncount = 600\n",
      .own = "Your own: plugin = interactions with first, second, labels, test_first, test_second, "
             "test_labels and edges = FILE.",
      .trials = 1,
      .kinds = ASSAY_RELEASE_PAIRED_CODES,
      .revealing = "dcmh",
      .bounds = { "edge-gain=0.05" } },
  [PEOPLE]
  = { .about
      = "Generated feature vectors with labels, and public ones of other people. Each run of "
        "a program takes a tenth of a second or more, and attackers who learn make dozens "
        "in each trial.",
      .group = "plugin = gaussian-classes\ncount = 2000\ncolumns = 32\nsecrets = 500\n",
      .own = "Your own: plugin = vectors with private, public, labels and public_labels = FILE "
             "(.npy, .fvecs, .bvecs); 'assay audit --command ... --data FILE' divides a file "
             "and writes a scenario with everything that applies.",
      .trials = 2 },
  [CLI_BASE_FOLDER]
  = { .about = "The secrets of what was released elsewhere, in the order of its items: a folder "
               "with truth.json and secrets.npy. Attackers are never given it. Public rows are of "
               "other people. FILL_IN: both must be given before the scenario can run.",
      .group = "plugin = truth-folder\nfolder = FILL_IN\npublic = FILL_IN\n",
      .own = "How to write one from NumPy: docs/releases-from-anywhere.md.",
      .trials = 1 },
};

/* Of defenses that take long to learn. */
#define FEWER_FEATURES "plugin = gaussian-classes\ncount = 2000\nrecords = yes\nsecrets = 300\n"

/* clang-format off */
/* Of hash codes by a network, which is trained dozens of times. */
#define NETWORK_HOME(id)                                                                           \
  { .defense = id, .base = FEATURES, .trials = 3, .data = FEWER_FEATURES,                          \
    .bounds = { "linkability=0.05" }, .changed = { "hidden=64", "steps=300" } }
/* clang-format on */

static const CliHome homes[] = {
  { .defense = "additive-noise", .base = IMAGES },
  NETWORK_HOME ("adsh"),
  { .defense = "average", .base = SAMPLES, .weaker = "users = 100\ntrainer = step\n" },
  { .defense = "block-mh", .base = PAIRS, .bounds = { "edge-gain=0.02" } },
  { .defense = "dmp-graph", .base = ITEMS, .audit = "runs = 4000000\n" },
  { .defense = "dmp-mh", .base = PAIRS, .audit = "runs = 6000000\n" },
  { .defense = "dphe",
    .base = SAMPLES,
    .trials = 12, /* an encrypted sum takes milliseconds, and attackers who learn make dozens */
    .weaker = "cheats = yes\npacking = yes\n" },
  NETWORK_HOME ("dpsh"),
  NETWORK_HOME ("dsh"),
  { .defense = "exec", .base = PEOPLE },
  { .defense = "gaussian", .base = FEATURES, .audit = "runs = 1000000\n" },
  { .defense = "gaussian-blur", .base = IMAGES },
  NETWORK_HOME ("hashnet"),
  { .defense = "instahide-cross", .base = IMAGES, .weaker = "k = 3\nmask = no\n" },
  { .defense = "instahide-inside", .base = IMAGES, .weaker = "k = 2\nmask = no\n" },
  { .defense = "ksh",
    .base = FEATURES,
    .trials = 3,
    .data = FEWER_FEATURES,
    .changed = { "labelled=200", "anchors=50" } },
  { .defense = "laplace", .base = FEATURES },
  { .defense = "none", .base = FEATURES },
  { .defense = "noisy-max", .base = ANSWERS },
  { .defense = "omega-subset", .base = MANY_VALUES },
  { .defense = "paillier-encryption",
    .base = FEATURES,
    .trials = 3,
    .data = "plugin = gaussian-classes\ncount = 400\npublic_count = 400\ncolumns = 16\nrank = 8\n"
            "classes = 2\nmodes = 1\nseparation = 3\nsecrets = 120\n",
    .bounds = { "member-auc=0.65", "linkability=0.25" },
    .changed = { "randomness=short" },
    .because = "randomness: a number takes milliseconds to encrypt with that of the textbook, and "
               "attackers who learn encrypt a hundred thousand",
    .without = "distinguish",
    .without_because = "an epsilon of 0 is claimed against limited computing power, and in whole "
                       "ciphertexts no number of runs would show it an epsilon of 0.1",
    .is_in_another_space = TRUE },
  { .defense = "phashing", .base = FEATURES, .bounds = { "attribute-excess=0.05" } },
  { .defense = "pixelation", .base = IMAGES },
  { .defense = "private-classifier",
    .base = SAMPLES,
    .audit = "runs = 5000\ntraining = 20000\n", /* in each of the trials */
    .changed = { "batch=3", "rounds=100" } },
  { .defense = "private-network",
    .base = IMAGES,
    .audit = "runs = 5000\ntraining = 20000\n",
    .bounds = { "member-auc=0.60" },
    .changed = { "batch=5", "rounds=100", "width=8" } },
  /* Two parties hide just what four columns can cost: sqrt (columns) / users of epsilon. */
  { .defense = "prr10",
    .base = FOUR_COLUMNS,
    .changed = { "users=2" },
    .because = "users: a mean of five parties leaves so little of one row that the pair of "
               "inputs stays far below what is claimed" },
  { .defense = "prr10-updates", .base = SAMPLES, .weaker = "users = 1\nnoise = none\n" },
  { .defense = "quantisation", .base = IMAGES },
  { .defense = "ra12",
    .base = TEN_VALUES,
    .changed = { "epsilon=1", "delta=1e-5" },
    .because = "epsilon and delta: at 0.2 and 0.05 delta alone pays for all that one row changes, "
               "and no run could certify more than 0" },
  { .defense = "ra12-updates",
    .base = SAMPLES,
    .trials = 40, /* rows are shortened: attackers find few samples where nothing hides them */
    .data = "plugin = gaussian-classes\ncount = 4000\ncolumns = 12\nclasses = 4\nsecrets = 100\n",
    .bounds = { "weight-claims-right=0.50" },
    .weaker = "users = 100\npublic_rows = no\nsteps = 1\nnoise = none\n" },
  { .defense = "randomised-response", .base = BITS },
  { .defense = "sdh",
    .base = FEATURES,
    .trials = 3,
    .data = FEWER_FEATURES,
    .changed = { "anchors=50" } },
  { .defense = "secure-sum", .base = SAMPLES, .weaker = "users = 2\nallow_two = yes\n" },
  { .defense = "shared-gradient",
    .base = IMAGES,
    .data = "plugin = shapes\nsize = 16\nchannels = 1\nsecrets = 40\n" },
  { .defense = "sparse-vector", .base = ANSWERS },
  { .defense = "unary-encoding", .base = TEN_VALUES },
};

const CliHome *
cli_home_find (const char *defense)
{
  for (guint i = 0; i < G_N_ELEMENTS (homes); i++)
    if (g_str_equal (homes[i].defense, defense))
      return &homes[i];
  return NULL;
}
