/* Damage in JPEG streams. JPEG has no checksums, and decoders go on whatever they meet: what they
 * cannot read becomes grey or noise. But a code that has lost its place decodes to another number
 * of blocks. So the Huffman codes of each scan are followed without making a picture of them, and
 * must give exactly the blocks that the header promises, none with more than 64 coefficients, with
 * the restart markers where they belong and nothing left before the next marker. Slight damage
 * (a changed bit, a few bytes) can come back into step, and is not found then: the picture is
 * wrong in a few blocks.
 *
 * Source: ITU-T T.81, sections A.2 (blocks of a scan), B.2 (segments), F.2.2 (Huffman decoding),
 * figures F.13 to F.16. */
#include "datasets/photographs/jpeg-check.h"

#include <string.h>

typedef struct {
  gboolean is_known;
  guint first_code[17];  /* of each length */
  guint first_value[17]; /* its place in @values */
  guint count[17];
  guint8 values[256];
} Table;

typedef struct {
  guint8 id, h, v;
} Component;

typedef struct {
  const guint8 *data;
  gsize length, at;
  guint bits, n_bits; /* what was read and not yet used, from the top */
  Table tables[2][4]; /* DC, AC */
  Component components[4];
  guint n_components, width, height, h_max, v_max;
  guint interval; /* MCUs between restart markers; 0: none */
} Stream;

/* ---- Codes ---- */

/* -1 where the data ends. */
static int
next_bit (Stream *s)
{
  if (s->n_bits == 0) {
    if (s->at >= s->length
        || (s->data[s->at] == 0xff && (s->at + 1 >= s->length || s->data[s->at + 1] != 0)))
      return -1;
    s->bits = s->data[s->at];
    s->n_bits = 8;
    s->at += s->bits == 0xff ? 2 : 1;
  }
  s->n_bits--;
  return (int) (s->bits >> s->n_bits & 1);
}

static gboolean
skip_bits (Stream *s, guint n)
{
  for (guint i = 0; i < n; i++)
    if (next_bit (s) < 0)
      return FALSE;
  return TRUE;
}

/* -1 for a code that there is not, or where the data ends. */
static int
next_value (Stream *s, const Table *table)
{
  guint code = 0;

  for (guint n = 1; n <= 16; n++) {
    const int bit = next_bit (s);

    if (bit < 0)
      return -1;
    code = code << 1 | (guint) bit;
    if (code - table->first_code[n] < table->count[n])
      return table->values[(table->first_value[n] + code - table->first_code[n]) & 0xff];
  }
  return -1;
}

static gboolean
skip_block (Stream *s, const Table *dc, const Table *ac)
{
  const int size = next_value (s, dc);

  if (size < 0 || size > 16 || !skip_bits (s, (guint) size))
    return FALSE;
  for (guint k = 1; k < 64; k++) {
    const int value = next_value (s, ac);
    const guint run = (guint) value >> 4, bits = (guint) value & 15;

    if (value < 0)
      return FALSE;
    if (bits == 0 && run < 15)
      return TRUE;
    k += run;
    if (k > 63 || !skip_bits (s, bits))
      return FALSE;
  }
  return TRUE;
}

/* ---- Segments; @at and @end are those of their content ---- */

static gboolean
read_tables (Stream *s, gsize at, gsize end)
{
  while (at + 17 <= end) {
    const guint8 *counts = s->data + at + 1;
    const guint kind = s->data[at] >> 4, number = s->data[at] & 15;
    Table *table;
    guint code = 0, total = 0;

    if (kind > 1 || number > 3)
      return FALSE;
    table = &s->tables[kind][number];
    for (guint n = 1; n <= 16; n++, code <<= 1) {
      table->first_code[n] = code;
      table->first_value[n] = total;
      table->count[n] = counts[n - 1];
      code += counts[n - 1];
      total += counts[n - 1];
    }
    if (total > 256 || at + 17 + total > end)
      return FALSE;
    memcpy (table->values, s->data + at + 17, total);
    table->is_known = TRUE;
    at += 17 + total;
  }
  return at == end;
}

static gboolean
read_frame (Stream *s, gsize at, gsize end)
{
  const guint8 *d = s->data + at;

  if (end - at < 6 || d[5] < 1 || d[5] > 4 || end - at < 6 + 3 * (gsize) d[5])
    return FALSE;
  s->height = (guint) d[1] << 8 | d[2];
  s->width = (guint) d[3] << 8 | d[4];
  s->n_components = d[5];
  s->h_max = s->v_max = 1;
  for (guint i = 0; i < s->n_components; i++) {
    const Component c = { d[6 + 3 * i], d[7 + 3 * i] >> 4, d[7 + 3 * i] & 15 };

    if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4)
      return FALSE;
    s->components[i] = c;
    s->h_max = MAX (s->h_max, c.h);
    s->v_max = MAX (s->v_max, c.v);
  }
  return TRUE;
}

/* ---- Scans ---- */

/* What an MCU of a scan is made of. */
typedef struct {
  guint n_blocks;
  const Table *dc[64];
  const Table *ac[64];
  gsize n_mcus;
} Scan;

static guint
divide_up (guint a, guint b)
{
  return (a + b - 1) / b;
}

static gboolean
read_scan (const Stream *s, gsize at, gsize end, Scan *ret_scan)
{
  const guint8 *d = s->data + at;
  const guint n = end > at ? d[0] : 0;
  Scan scan = { 0 };

  if (n < 1 || n > 4 || end - at < 1 + 2 * (gsize) n + 3 || s->n_components == 0)
    return FALSE;
  scan.n_mcus = (gsize) divide_up (s->width, 8 * s->h_max) * divide_up (s->height, 8 * s->v_max);
  for (guint i = 0; i < n; i++) {
    const guint dc = d[2 + 2 * i] >> 4, ac = d[2 + 2 * i] & 15;
    const Component *c = NULL;

    for (guint j = 0; j < s->n_components; j++)
      if (s->components[j].id == d[1 + 2 * i])
        c = &s->components[j];
    if (c == NULL || dc > 3 || ac > 3 || !s->tables[0][dc].is_known || !s->tables[1][ac].is_known)
      return FALSE;
    /* A scan of one component has its blocks one by one, and none beyond its sides. */
    if (n == 1)
      scan.n_mcus = (gsize) divide_up (divide_up (s->width * c->h, s->h_max), 8)
                    * divide_up (divide_up (s->height * c->v, s->v_max), 8);
    for (guint b = 0; b < (n == 1 ? 1u : (guint) c->h * c->v); b++) {
      scan.dc[scan.n_blocks] = &s->tables[0][dc];
      scan.ac[scan.n_blocks++] = &s->tables[1][ac];
    }
  }
  *ret_scan = scan;
  return TRUE;
}

/* At a marker, behind the fill bytes that may stand before it. */
static gboolean
is_at_marker (Stream *s)
{
  s->n_bits = 0;
  while (s->at + 1 < s->length && s->data[s->at] == 0xff && s->data[s->at + 1] == 0xff)
    s->at++;
  return s->at + 1 < s->length && s->data[s->at] == 0xff && s->data[s->at + 1] != 0;
}

static gboolean
follow_scan (Stream *s, const Scan *scan)
{
  guint restart = 0;

  s->n_bits = 0;
  for (gsize m = 0; m < scan->n_mcus; m++) {
    if (s->interval > 0 && m > 0 && m % s->interval == 0) {
      if (!is_at_marker (s) || s->data[s->at + 1] != 0xd0 + restart)
        return FALSE;
      s->at += 2;
      restart = (restart + 1) % 8;
    }
    for (guint b = 0; b < scan->n_blocks; b++)
      if (!skip_block (s, scan->dc[b], scan->ac[b]))
        return FALSE;
  }
  return is_at_marker (s);
}

gboolean
assay_jpeg_is_sound (const guint8 *data, gsize length, gsize *ret_at)
{
  g_autofree Stream *s = g_new0 (Stream, 1);
  gboolean is_sound = TRUE;

  *s = (Stream){ .data = data, .length = length, .at = 2 };
  while (is_sound && is_at_marker (s)) {
    const guint8 marker = data[s->at + 1];
    const gsize at = s->at + 4;
    gsize end;
    Scan scan;

    if (marker == 0xd9)
      return TRUE;
    end = at <= length ? s->at + 2 + ((gsize) data[at - 2] << 8 | data[at - 1]) : 0;
    if (end < at || end > length)
      break;
    s->at = end;
    if (marker == 0xc4)
      is_sound = read_tables (s, at, end);
    else if (marker == 0xc0 || marker == 0xc1)
      is_sound = read_frame (s, at, end);
    else if (marker > 0xc1 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc)
      return TRUE;
    else if (marker == 0xdd && end - at >= 2)
      s->interval = (guint) data[at] << 8 | data[at + 1];
    else if (marker == 0xda)
      is_sound = read_scan (s, at, end, &scan) && follow_scan (s, &scan);
  }
  *ret_at = s->at;
  return FALSE;
}
