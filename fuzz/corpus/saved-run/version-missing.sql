-- of pictures
DELETE FROM meta WHERE key = 'version';
