-- of programs
UPDATE meta SET value = char (27) || '[31m' || value WHERE key = 'program.defense.0';
