-- of programs
UPDATE meta SET value = char (8238) || value WHERE key = 'program.defense.0';
