/* Releases of affine-lifting that the tests of attacks on them are played on. */
#pragma once

#include "core/plugin/plugin.h"

extern const AssayDefense assay_defense_affine_lifting;
extern const AssayAttack assay_attack_database;
extern const AssayAttack assay_attack_nearest;

static const AssayStreamKey key = { { 1, 2 } };

typedef struct {
  const char *lifting; /* settings of the defense; NULL: none */
  gboolean is_clustered;
  gsize n, rows, cols;
} LiftingCase;

typedef struct {
  AssayMatrix *database; /* as the attack sees it: scaled where the release is */
  AssayRows *rows;
  AssayRelease *release;
  AssayTruth *truth;
  AssaySubspaces subspaces;
} LiftingScene;

void lifting_scene_clear (LiftingScene *scene);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LiftingScene, lifting_scene_clear)

/* The release of @problem, and the database that the attack searches. */
void lifting_scene_make (const LiftingCase *problem, LiftingScene *scene);

/* Plays the attack with what it needs, which must succeed. */
AssayGuess *lifting_scene_attack (const AssayAttack *plugin, const char *assignments,
                                  const LiftingScene *scene);
