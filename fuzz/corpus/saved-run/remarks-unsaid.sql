-- of programs
UPDATE meta SET value = char (10) WHERE key = 'remarks';
