-- of programs
UPDATE meta SET value = '' WHERE key = 'program.defense.0';
