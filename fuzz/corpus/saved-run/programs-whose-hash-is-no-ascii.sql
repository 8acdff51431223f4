-- of programs
UPDATE meta SET value = 'a' || replace (hex (zeroblob (12)), '0', char (233)) || ' /x' || char (10) WHERE key = 'program.defense.0';
