-- of pictures
DELETE FROM thumbnails;
