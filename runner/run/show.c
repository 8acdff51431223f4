/* The pictures of a cell. */
#include "runner/run/show.h"

/* What all sheets together want of one metric. */
typedef struct {
  gsize count;
  gboolean has_released;
} Wanted;

static Wanted
wanted_of (const AssayPlan *plan, const AssayCell *cell, const AssaySettings *settings,
           guint metric)
{
  Wanted wanted = { 0 };

  ASSAY_FOR_EACH (const AssayContactSheet, sheet, plan->sheets) {
    if (sheet->metric != metric || !assay_contact_sheet_selects (plan, sheet, cell, settings))
      continue;
    wanted.count = MAX (wanted.count, sheet->count);
    wanted.has_released |= sheet->has_released;
  }
  return wanted;
}

/* Takes @thumbnail over; NULL: it could not be made. */
static gboolean
add_thumbnail (guint metric, AssayShownRole role, gsize unit, AssayThumbnail *thumbnail,
               GArray *shown)
{
  const AssayShown one = { metric, role, unit, thumbnail };

  if (thumbnail != NULL)
    g_array_append_val (shown, one);
  return thumbnail != NULL;
}

static gboolean
add_photo (guint metric, AssayShownRole role, gsize unit, const AssayPhoto *photo, GArray *shown,
           GError **error)
{
  return photo == NULL
         || add_thumbnail (metric, role, unit, assay_thumbnail_new (photo, error), shown);
}

static gboolean
show_unit (const AssayShowing *showing, guint index, gsize unit, GArray *shown, GError **error)
{
  const AssayJob *job = showing->job;
  const AssayComponent *component = assay_plan_component (showing->plan->metrics, index);
  const AssayMetric *metric = component->metric;
  const AssayMetricContext context = { .settings = component->settings->values,
                                       .dataset = job->dataset,
                                       .release = job->release };
  g_auto (AssayPictures) pictures = { NULL, NULL };

  if (!metric->show (&context, job->truth, showing->guess, unit, &pictures, error))
    return assay_prefix (error, "picture %zu of %s: ", unit, metric->id);
  return add_photo (index, ASSAY_SHOWN_ORIGINAL, unit, pictures.original, shown, error)
         && add_photo (index, ASSAY_SHOWN_RECOVERED, unit, pictures.recovered, shown, error);
}

/* ---- What was released ---- */

static gboolean
show_released (guint metric, const AssayJob *job, gsize unit, GArray *shown, GError **error)
{
  const AssayGeometry *geometry = &job->release->geometry;
  const AssayKind *kind = assay_kind (job->release->kind);
  const float *row = geometry->height > 0 && kind->picture != NULL
                         ? kind->picture (job->release, job->truth, unit)
                         : NULL;

  return row == NULL
         || add_thumbnail (metric, ASSAY_SHOWN_RELEASED, unit,
                           assay_thumbnail_from_row (row, geometry, error), shown);
}

gboolean
assay_show_cell (const AssayShowing *showing, GArray *shown, GError **error)
{
  const AssayPlan *plan = showing->plan;

  for (guint m = 0; m < plan->metrics->len; m++) {
    const Wanted wanted = wanted_of (plan, showing->cell, showing->settings, m);
    /* Without outcomes the metric did not apply. */
    const gsize n_units = MIN (wanted.count, showing->outcomes[m].n);

    for (gsize unit = 0; unit < n_units; unit++)
      if (!show_unit (showing, m, unit, shown, error)
          || (wanted.has_released && !show_released (m, showing->job, unit, shown, error)))
        return FALSE;
  }
  return TRUE;
}
