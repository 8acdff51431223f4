-- of programs
UPDATE meta SET value = value || char (155) WHERE key = 'external.sha256';
