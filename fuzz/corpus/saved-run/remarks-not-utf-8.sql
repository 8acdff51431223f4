-- of programs
UPDATE meta SET value = CAST (x'fffe' AS TEXT) WHERE key = 'remarks';
