-- of pictures
UPDATE meta SET value = value || char (27) || '[31m' || char (9, 13, 127, 133) WHERE key = 'claims';
