-- of programs
UPDATE meta SET value = '' WHERE key = 'confinement';
