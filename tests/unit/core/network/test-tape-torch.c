/* A network with every kind of layer, number by number against PyTorch (python3-torch), where it is
 * installed: what it gives, its derivatives to parameters and inputs, and parameters after four
 * steps of Adam with decay. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/network/tape-weights.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/core/network/tape-case.h"

#define PYTHON "/usr/bin/python3"
#define IMAGES 6
#define EPOCHS 4
#define RATE 0.01
#define DECAY 0.1

/* Reads images and parameters, and writes all that is compared, as float32. */
static const char script[]
    = "import sys, math, numpy, torch\n"
      "import torch.nn.functional as F\n"
      "torch.set_num_threads(1)\n"
      "folder, n, epochs, rate, decay = sys.argv[1], *map(float, sys.argv[2:])\n"
      "n, epochs = int(n), int(epochs)\n"
      "x = torch.tensor(numpy.fromfile(folder + '/images', 'f4').reshape(n, 3, 16, 16))\n"
      "flat = numpy.fromfile(folder + '/parameters', 'f4')\n"
      "shapes = [(8, 3, 3, 3), (8,), (8,), (8,), (16, 8, 3, 3), (16,), (16,), (16,),\n"
      "          (8, 16, 1, 1), (8,), (8, 16, 3, 3), (8,), (8, 8, 3, 3), (8,), (5, 8), (5,)]\n"
      "P, at = [], 0\n"
      "for shape in shapes:\n"
      "    size = math.prod(shape)\n"
      "    P.append(torch.tensor(flat[at:at + size].reshape(shape), requires_grad=True))\n"
      "    at += size\n"
      "assert at == len(flat)\n"
      "def block(x, p):\n"
      "    x = F.conv2d(x, p[0], p[1], padding=1)\n"
      "    return F.relu(F.group_norm(x, len(p[2]) // 8, p[2], p[3]))\n"
      "def net(x):\n"
      "    top = block(x, P[0:4])\n"
      "    low = block(F.max_pool2d(top, 2), P[4:8])\n"
      "    up = F.interpolate(F.conv2d(low, P[8], P[9]), scale_factor=2)\n"
      "    x = F.conv2d(torch.cat([top, up], 1), P[10], P[11], padding=1)\n"
      "    x = F.relu(F.conv2d(F.relu(x + top), P[12], P[13], stride=2, padding=1))\n"
      "    return F.linear(x.mean((2, 3)), P[14], P[15])\n"
      "y = torch.arange(n) % 5\n"
      "x.requires_grad = True\n"
      "z = net(x)\n"
      "loss = F.cross_entropy(z, y)\n"
      "loss.backward()\n"
      "out = [torch.softmax(z, 1), loss.reshape(1), x.grad] + [p.grad for p in P]\n"
      "out = [o.detach().numpy().ravel().copy() for o in out]\n"
      "adam = torch.optim.AdamW([{'params': [p for p in P if p.dim() > 1]},\n"
      "    {'params': [p for p in P if p.dim() == 1], 'weight_decay': 0}],\n"
      "    lr=rate, weight_decay=decay)\n"
      "for epoch in range(epochs):\n"
      "    for group in adam.param_groups:\n"
      "        group['lr'] = rate * (1 + math.cos(math.pi * epoch / epochs)) / 2\n"
      "    adam.zero_grad()\n"
      "    F.cross_entropy(net(x.detach()), y).backward()\n"
      "    adam.step()\n"
      "out += [p.detach().numpy().ravel() for p in P]\n"
      "numpy.concatenate(out).astype('f4').tofile(folder + '/results')\n";

static gboolean
has_torch (void)
{
  const char *trial[] = { PYTHON, "-c", "import torch, numpy", NULL };
  int status;

  return g_spawn_sync (NULL, (char **) trial, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                       NULL, &status, NULL)
         && status == 0;
}

/* Parameters or derivatives in the order of releases, which is PyTorch's. */
static float *
in_order (const AssayTape *tape, const float *parameters)
{
  float *numbers = g_new (float, assay_tape_count_weights (tape));

  assay_tape_get_weights (tape, parameters, numbers);
  return numbers;
}

static void
write_numbers (const char *folder, const char *name, gconstpointer numbers, gsize n)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  cr_assert (g_file_set_contents (path, numbers, (gssize) (n * sizeof (float)), NULL));
}

static float *
ask_torch (const char *folder, gsize *ret_n)
{
  g_autofree char *epochs = g_strdup_printf ("%d", EPOCHS),
                  *images = g_strdup_printf ("%d", IMAGES);
  const char *arguments[] = { PYTHON, "-c", script, folder, images, epochs, "0.01", "0.1", NULL };
  g_autofree char *path = g_build_filename (folder, "results", NULL);
  char *found;
  int status;

  cr_assert (g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL,
                           &status, NULL));
  cr_assert_eq (status, 0, "the script failed");
  cr_assert (g_file_get_contents (path, &found, ret_n, NULL));
  *ret_n /= sizeof (float);
  return (float *) (gpointer) found;
}

static void
compare (const char *what, const float *found, const float *expected, gsize n, double tolerance)
{
  double largest = 0;

  for (gsize i = 0; i < n; i++)
    largest = fmax (largest, (double) fabsf (expected[i]));
  for (gsize i = 0; i < n; i++)
    assert_near ((double) found[i], (double) expected[i], tolerance * largest, "%s, number %zu",
                 what, i);
}

Test (tape_torch, every_number)
{
  const AssayTapeTraining training
      = { .epochs = EPOCHS, .batch = IMAGES, .rate = RATE, .decay = DECAY };
  g_autoptr (AssayTape) tape = tape_case_everything ();
  TapeCase tape_case = { tape, 0 };
  const AssayTapeExamples examples = tape_case_examples (&tape_case, IMAGES);
  const gsize numbers = 3 * 16 * 16;
  const gsize weights = assay_tape_count_weights (tape);
  g_autofree float *sent = in_order (tape, tape->parameters), *derivatives = NULL, *trained = NULL;
  g_autofree float *images = g_new (float, IMAGES *numbers);
  g_autofree float *inputs = g_new (float, IMAGES *numbers), *expected = NULL;
  g_autofree float *gradient = g_new (float, tape->n_parameters);
  float target[5], shares[IMAGES * 5], loss_found;
  g_autofree char *folder = NULL;
  const float *next;
  double loss;
  gsize n;

  if (!has_torch ())
    cr_skip_test ("PyTorch is not installed (Debian's python3-torch)");
  folder = fixture_folder ();
  for (gsize i = 0; i < IMAGES; i++)
    examples.draw (examples.data, i, 0, images + i * numbers, target);
  write_numbers (folder, "images", images, IMAGES * numbers);
  write_numbers (folder, "parameters", sent, weights);
  next = expected = ask_torch (folder, &n);
  fixture_remove (folder);
  cr_assert_eq (n, IMAGES * 5 + 1 + IMAGES * numbers + 2 * weights);

  cr_assert (assay_tape_predict (tape, &examples, shares, NULL));
  cr_assert (assay_tape_differentiate (tape, &examples, &loss, gradient, inputs, NULL));
  derivatives = in_order (tape, gradient);
  cr_assert (assay_tape_train (tape, &training, &examples, assay_stream_key (3, 1, "tape", ""),
                               NULL, NULL));
  trained = in_order (tape, tape->parameters);
  loss_found = (float) loss;
  compare ("shares", shares, next, IMAGES * 5, 1e-5);
  compare ("loss", &loss_found, next + IMAGES * 5, 1, 1e-5);
  next += IMAGES * 5 + 1;
  compare ("derivatives of inputs", inputs, next, IMAGES * numbers, 1e-4);
  next += IMAGES * numbers;
  compare ("derivatives", derivatives, next, weights, 1e-4);
  next += weights;
  compare ("after four steps", trained, next, weights, 1e-4);
}
