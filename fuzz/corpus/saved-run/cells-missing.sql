-- of pictures
DELETE FROM cells; DELETE FROM outcomes;
