-- of programs
UPDATE meta SET value = char (10, 10, 10) WHERE key = 'program.defense.0';
