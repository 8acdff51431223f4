-- of programs
UPDATE meta SET value = CAST (x'ff1b5b33316d' AS TEXT) WHERE key = 'program.defense.0';
