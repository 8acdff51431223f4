-- of pictures
UPDATE groups SET data = x'00';
