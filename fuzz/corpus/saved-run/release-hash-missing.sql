-- of programs
DELETE FROM meta WHERE key = 'external.sha256';
