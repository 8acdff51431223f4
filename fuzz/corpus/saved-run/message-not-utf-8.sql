-- of pictures
UPDATE cells SET status = 2, message = CAST (x'ff1b5b33316d' AS TEXT);
