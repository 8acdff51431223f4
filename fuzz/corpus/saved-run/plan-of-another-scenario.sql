-- of pictures
UPDATE meta SET value = '0' WHERE key = 'plan_sha256';
UPDATE meta SET value = 'another' WHERE key = 'plan';
