-- of programs
DELETE FROM meta WHERE key = 'remarks';
