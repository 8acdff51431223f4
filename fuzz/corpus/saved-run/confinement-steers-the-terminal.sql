-- of programs
UPDATE meta SET value = char (27) || ']0;x' || char (7) WHERE key = 'confinement';
