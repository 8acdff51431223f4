-- of pictures
DELETE FROM groups WHERE trial = 1;
