/* The member "geometry" of release.json and truth.json: what the numbers of a row are. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>

#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/data/folders/image-rows.h"

/* Writes the member into the open object of @json. @is_unit_norm: NULL where the record has no such
 * thing. Nothing is written of what is not known. */
void assay_geometry_write (AssayJson *json, const AssayGeometry *geometry,
                           const gboolean *is_unit_norm);

/* Reads it from @root, the object of @file; without the member everything stays as it is.
 * ASSAY_ERROR_DATA for members that are not known, which is refused: knowledge compared in the
 * wrong scale would make an attack fail, and the release look private. */
gboolean assay_geometry_read (JsonObject *root, const char *file, AssayGeometry *ret_geometry,
                              gboolean *ret_is_unit_norm, AssayPixelOrder *ret_order,
                              GError **error);

/* ASSAY_ERROR_MISMATCH unless rows of @cols numbers, or no images at all. */
gboolean assay_geometry_check (const AssayGeometry *geometry, gsize cols, GError **error);
