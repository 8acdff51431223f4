/* Programs to begin with. */
#include "cli/help/starter-programs.h"

const CliProgram *
cli_starter_programs (const AssayDefense *defense)
{
  static const CliProgram programs[] = { { "my_defense.py", cli_starter_defense },
                                         { "my_attack.py", cli_starter_attack },
                                         { NULL, NULL } };

  return g_str_equal (defense->id, "exec") ? programs : NULL;
}
