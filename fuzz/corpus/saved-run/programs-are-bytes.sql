-- of programs
UPDATE meta SET value = x'30' WHERE key = 'program.defense.0';
