/* The settings of a program that claims to be private. */
#pragma once

#include "core/external/exec-folder.h"

/* The settings of the claim, behind those of the program. */
typedef struct {
  AssayExec exec;
  double epsilon;
  double delta;
  char *relation;
  char *neighbours;
  gint64 outputs;
  gint64 batch;
  /* Its inputs (exec-domain.h). */
  guint adjacency;
  char *lower, *upper;
  guint numbers;
  double distance;
  guint bounds;
  gint64 records, columns;
  /* Of one run on a whole dataset (exec-canaries.h). */
  char *canaries;
  guint canary_score;
  char *score_command;
} ExecMechanism;
