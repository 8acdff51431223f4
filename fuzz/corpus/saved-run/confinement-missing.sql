-- of programs
DELETE FROM meta WHERE key = 'confinement';
