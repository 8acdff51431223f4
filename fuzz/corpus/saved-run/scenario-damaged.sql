-- of pictures
UPDATE meta SET value = '(' WHERE key = 'scenario';
