-- of pictures
UPDATE cells SET seconds = 9e999;
