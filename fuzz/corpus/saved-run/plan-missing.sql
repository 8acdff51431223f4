-- of pictures
DELETE FROM meta WHERE key = 'plan_sha256';
