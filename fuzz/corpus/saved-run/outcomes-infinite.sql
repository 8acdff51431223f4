-- of pictures
UPDATE outcomes SET data = x'000000000000f07f';
