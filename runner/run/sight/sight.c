/* What an attack gets to see: the release without what is withheld, and what is granted. */
#include "runner/run/sight/sight.h"

#include "core/graph/edge-array.h"

AssayKnowledge
assay_knowledge_of (const AssayDataset *dataset)
{
  return (AssayKnowledge){ .database = dataset->database,
                           .public_rows = dataset->public_rows,
                           .public_originals = dataset->public_data.originals,
                           .public_labels = assay_role_labels (&dataset->public_data),
                           .public_groups = assay_role_pictures (&dataset->public_data),
                           .secret_photos = dataset->secret_data.photos,
                           .public_data = &dataset->public_data };
}

static GPtrArray *
released (const AssayGranted *granted)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);

  g_ptr_array_add (all, assay_release_granted (granted->release, granted->grants));
  for (guint i = 0; granted->grants & ASSAY_GRANT_REPEATS && granted->repeats != NULL
                    && i < granted->repeats->len;
       i++)
    g_ptr_array_add (all, assay_release_granted (granted->repeats->pdata[i], granted->grants));
  return all;
}

static AssayObservation
observe (const AssayGranted *granted, const AssaySight *sight)
{
  const guint grants = granted->grants, both = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_GROUPS;
  const GPtrArray *all = sight->released;

  return (AssayObservation){
    .release = all->pdata[0],
    .database = grants & ASSAY_GRANT_DATABASE ? granted->knowledge->database : NULL,
    .public_rows = grants & ASSAY_GRANT_PUBLIC ? granted->knowledge->public_rows : NULL,
    .public_originals = grants & ASSAY_GRANT_PUBLIC ? granted->knowledge->public_originals : NULL,
    .groups = grants & ASSAY_GRANT_GROUPS ? granted->groups : NULL,
    .other_releases = grants & ASSAY_GRANT_OTHER_RELEASES ? all->pdata[0] : NULL,
    .repeats = all->len > 1 ? (const AssayRelease *const *) (all->pdata + 1) : NULL,
    .n_repeats = all->len - 1,
    .shadow = grants & ASSAY_GRANT_MECHANISM ? granted->shadow : NULL,
    .pairs = granted->pairs,
    .records = granted->records,
    .record_labels = granted->record_labels,
    .crossed = sight->crossed,
    .attribute_names = granted->attribute_names,
    .features = sight->features.rows > 0 ? &sight->features : NULL,
    .first_cols = sight->features.rows > 0 ? assay_truth_first_cols (granted->truth) : 0,
    .known_edges = sight->known_edges,
    .public_groups = (grants & both) == both ? granted->knowledge->public_groups : NULL,
    .keypoints = sight->keypoints,
    .public_keypoints = sight->public_keypoints,
  };
}

/* The edges of which both ends are in the first half of the secrets. */
static AssayArray *
edges_of_half (const AssayTruth *truth, GError **error)
{
  const gsize n = assay_arrays_get (&truth->arrays, "secrets")->shape[0];
  g_autofree gsize *half = g_new (gsize, n / 2 + 1);

  for (gsize i = 0; i < n / 2; i++)
    half[i] = i;
  return assay_edge_array_among (assay_arrays_get (&truth->arrays, "edges"), n, half, n / 2, error);
}

/* Of the secrets the frames, and how large their photographs are; of public rows these, too. */
static void
open_keypoints (const AssayGranted *granted, AssaySight *sight)
{
  const AssayArrays *truth = granted->truth != NULL ? &granted->truth->arrays : NULL;
  const AssayRoleData *data = granted->knowledge->public_data;

  if (!(granted->grants & ASSAY_GRANT_KEYPOINTS) || truth == NULL)
    return;
  sight->keypoints
      = assay_keypoints_new (assay_arrays_get (truth, "frames"), assay_arrays_get (truth, "groups"),
                             granted->knowledge->secret_photos, FALSE);
  if (granted->grants & ASSAY_GRANT_PUBLIC && data != NULL)
    sight->public_keypoints
        = assay_keypoints_new (data->frames, data->pictures, data->photos, TRUE);
}

gboolean
assay_sight_open (const AssayGranted *granted, AssaySight *ret_sight, GError **error)
{
  const AssayTruth *truth = granted->truth;
  const guint grants = truth != NULL && assay_arrays_get (&truth->arrays, "edges") != NULL
                           ? granted->grants
                           : ASSAY_GRANT_NONE;

  if (grants & ASSAY_GRANT_KNOWN_EDGES) {
    ret_sight->known_edges = edges_of_half (truth, error);
    if (ret_sight->known_edges == NULL)
      return FALSE;
  }
  if (grants & ASSAY_GRANT_FEATURES)
    ret_sight->features = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));
  open_keypoints (granted, ret_sight);
  ret_sight->released = released (granted);
  ret_sight->crossed
      = granted->crossed != NULL ? assay_release_granted (granted->crossed, granted->grants) : NULL;
  ret_sight->seen = observe (granted, ret_sight);
  return TRUE;
}

ASSAY_CLEAR_FUNC (AssaySight, assay_sight_clear, assay_drop (self->released, g_ptr_array_unref),
                  assay_drop (self->crossed, assay_release_free),
                  assay_drop (self->known_edges, assay_array_free),
                  assay_drop (self->keypoints, assay_keypoints_free),
                  assay_drop (self->public_keypoints, assay_keypoints_free))
