-- of programs
UPDATE meta SET value = CAST (x'80' AS TEXT) WHERE key = 'external.sha256';
