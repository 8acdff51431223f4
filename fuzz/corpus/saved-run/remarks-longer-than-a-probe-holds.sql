-- of programs
UPDATE meta SET value = replace (hex (zeroblob (2048)), '0', char (233)) WHERE key = 'remarks';
