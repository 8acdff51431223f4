-- of programs
UPDATE meta SET value = char (27) || '[2J' WHERE key = 'version';
