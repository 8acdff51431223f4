-- of pictures
UPDATE meta SET value = 'x' WHERE key = 'times';
