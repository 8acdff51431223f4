-- of programs
UPDATE meta SET value = 'a' || char (10) || 'b' WHERE key = 'external.sha256';
