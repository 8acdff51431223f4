/* The programs of a scenario to begin with, where its defense is a program: a defense and an attack
 * in NumPy that run as they are, to be filled with one's own (cli/help/programs). */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  const char *name; /* the file beside the scenario */
  const char *text;
} CliProgram;

/* NULL: the defense is none. The last one has no name. */
const CliProgram *cli_starter_programs (const AssayDefense *defense);

/* The files, as they were embedded. */
extern const char cli_starter_defense[];
extern const char cli_starter_attack[];
