-- of programs
INSERT INTO meta VALUES ('baseline', 'baseline a\377\033[31m' || char (10) || 'compared 3' || char (10) || 'worse \377\342\200\256' || char (10) || 'note \033[2J' || char (10));
