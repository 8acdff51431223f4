/* Scripts that count an event again. */
#include "runner/witness/witness-files.h"

#include <errno.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/data/npy.h"

/* What formulas use; as core/plugin/outputs.h, event-score.c and output-cells.c have it. */
static const char helpers[]
    = "import pathlib\n"
      "import sys\n"
      "\n"
      "import numpy\n"
      "\n"
      "HERE = pathlib.Path(__file__).resolve()\n"
      "numpy.seterr(over='ignore', invalid='ignore')\n"
      "\n"
      "\n"
      "def key(values):\n"
      "    \"\"\"Whole numbers in the order of values: -0 below 0, NaN last.\"\"\"\n"
      "    bits = numpy.ascontiguousarray(values, numpy.float64).view(numpy.uint64)\n"
      "    top = numpy.uint64(1 << 63)\n"
      "    keys = numpy.where(bits & top, ~bits, bits | top)\n"
      "    failed = bits == numpy.uint64(0x7FF8FA17ED000000)\n"
      "    return numpy.where(numpy.isnan(values), numpy.uint64(2**64 - 2) + failed, keys)\n"
      "\n"
      "\n"
      "def row_hash(y):\n"
      "    \"\"\"One number for a whole row.\"\"\"\n"
      "    rows = numpy.full(len(y), y.shape[1], numpy.uint64)\n"
      "    for column in range(y.shape[1]):\n"
      "        rows = (rows ^ key(y[:, column])) * numpy.uint64(0xFF51AFD7ED558CCD)\n"
      "        rows ^= rows >> numpy.uint64(32)\n"
      "    return rows\n"
      "\n"
      "\n"
      "def find_cells(values, atoms, edges, n_bins):\n"
      "    \"\"\"The number of the value among frequent ones, else that of its bin.\"\"\"\n"
      "    keys = key(values)\n"
      "    cells = len(atoms) + numpy.searchsorted(numpy.array(edges, numpy.uint64), keys)\n"
      "    for number, atom in enumerate(atoms):\n"
      "        cells[keys == numpy.uint64(atom)] = number\n"
      "    return numpy.minimum(cells, len(atoms) + n_bins)\n"
      "\n"
      "\n"
      "def standardise(values, cells, n_atoms, centre, scale):\n"
      "    if scale == 0:\n"
      "        return numpy.zeros(len(values))\n"
      "    deviations = numpy.fmin(numpy.fmax((values - centre) / scale, -8), 8)\n"
      "    return numpy.where(cells < n_atoms, 0, deviations)\n"
      "\n"
      "\n";

static const char counting[]
    = "\n"
      "def agrees(y, marked):\n"
      "    \"\"\"Whether equal outputs are marked alike.\"\"\"\n"
      "    seen = {}\n"
      "    return all(seen.setdefault(row.tobytes(), mark) == mark\n"
      "               for row, mark in zip(y, marked))\n"
      "\n"
      "\n"
      "counts = []\n"
      "fine = True\n"
      "marks = numpy.load(HERE.with_name(HERE.stem + '-events.npy'))\n"
      "for side, name in enumerate(('first', 'second')):\n"
      "    outputs = numpy.load(HERE.with_name(f'{HERE.stem}-{name}.npy'))\n"
      "    if 'event' in globals():\n"
      "        held = event(outputs.astype(numpy.float64))\n"
      "        fine &= bool((held == (marks[side] == 1)).all())\n"
      "    else:\n"
      "        held = marks[side] == 1\n"
      "        fine &= agrees(outputs, marks[side])\n"
      "    counts.append(int(held.sum()))\n"
      "print(f'seen in {counts[FIRST]} of {len(outputs)} runs on the '\n"
      "      f'{(\"first\", \"second\")[FIRST]} input and in {counts[1 - FIRST]} on the '\n"
      "      f'{(\"first\", \"second\")[1 - FIRST]}')\n"
      "if not fine:\n"
      "    sys.exit('and not in the runs in which the audit saw it')\n";

static gboolean
write_array (const char *place, const char *name, const AssayArray *array, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s-%s.npy", place, name);

  return assay_npy_write (path, array, error);
}

static gboolean
write_script (const char *place, const AssayAuditRecord *audit, const char *python, GError **error)
{
  g_autofree char *path = g_strconcat (place, ".py", NULL);
  g_autoptr (GString) says = g_string_new (audit->says);
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;

  g_string_replace (says, "\\", "\\\\", 0);
  g_string_replace (says, "\"", "'", 0);
  text = g_strdup_printf (
      "\"\"\"Counts again how often the event of an audit was seen.\n\n%s\n\"\"\"\n%s%s"
      "\nFIRST = %u  # whose event it is\n%s",
      says->str, helpers, python != NULL ? python : "", audit->is_swapped ? 1u : 0u, counting);
  return g_file_set_contents (path, text, -1, &problem)
         || assay_fail (error, ASSAY_ERROR_IO, "%s: %s", path, problem->message);
}

gboolean
assay_witness_files_write (const char *place, const AssayAuditRecord *audit,
                           const AssayCounted *counted, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (place);

  if (g_mkdir_with_parents (folder, 0777) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", folder, g_strerror (errno));
  return write_array (place, "first", counted->outputs[0], error)
         && write_array (place, "second", counted->outputs[1], error)
         && write_array (place, "events", counted->marks, error)
         && write_script (place, audit, counted->python, error);
}
