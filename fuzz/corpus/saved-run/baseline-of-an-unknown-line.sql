-- of programs
INSERT INTO meta VALUES ('baseline', 'baseline a' || char (10) || 'better b' || char (10));
