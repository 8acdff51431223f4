-- of programs
UPDATE meta SET value = ' /as-they-are.sh' || char (10) WHERE key = 'program.defense.0';
