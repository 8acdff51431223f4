-- of programs
DELETE FROM meta WHERE key = 'program.defense.0';
