-- of programs
UPDATE meta SET value = replace (hex (zeroblob (32768)), '0', 'ab /c' || char (10)) WHERE key = 'program.defense.0';
