-- of programs
UPDATE meta SET value = CAST (x'c328' AS TEXT) WHERE key = 'confinement';
