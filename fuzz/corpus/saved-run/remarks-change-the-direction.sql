-- of programs
UPDATE meta SET value = 'a' || char (8294) || 'b' || char (8232) WHERE key = 'remarks';
