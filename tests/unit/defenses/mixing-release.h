/* Releases of the defenses that mix images, and their arrays. */
#pragma once

#include "core/plugin/plugin.h"

#define ALPHA 1e-6

extern const AssayDefense assay_defense_instahide_inside;
extern const AssayDefense assay_defense_instahide_cross;

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
} Made;

void mixing_made_clear (Made *made);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, mixing_made_clear)

/* What a defense works on; the cell's stream is that of `trial`. */
typedef struct {
  const AssayMatrix *secrets;
  AssayRows *public_rows;
  const gint64 *labels;
  AssayGeometry geometry;
  guint64 trial;
} Material;

enum { CLASSES = 3 };

/* Protects @material with the settings @assignments, and checks what was said of its size. */
gboolean mixing_try (const AssayDefense *defense, const char *assignments, const Material *material,
                     Made *ret_made, GError **error);

/* The same, which must succeed. */
void mixing_make (const AssayDefense *defense, const char *assignments, const Material *material,
                  Made *ret_made);

/* Arrays of the truth and the release. */
const gint64 *mixing_whole (const Made *made, const char *name);
const float *mixing_images (const Made *made);
const float *mixing_coefficients (const Made *made);
