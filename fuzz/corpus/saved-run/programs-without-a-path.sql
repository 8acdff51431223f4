-- of programs
UPDATE meta SET value = 'abc' WHERE key = 'program.defense.0';
