-- of pictures
UPDATE tunings SET estimates = x'000000000000f07f000000000000f87f';
