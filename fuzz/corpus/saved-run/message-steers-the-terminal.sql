-- of pictures
UPDATE cells SET status = 2, message = CAST (x'1b5b33316d0a3c736372697074' AS TEXT);
