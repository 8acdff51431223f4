-- of programs
UPDATE meta SET value = 7.5 WHERE key = 'confinement';
