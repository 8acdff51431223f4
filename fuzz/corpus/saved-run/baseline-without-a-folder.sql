-- of programs
INSERT INTO meta VALUES ('baseline', 'compared 1' || char (10));
