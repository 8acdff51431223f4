-- of programs
UPDATE meta SET value = 'won nan 0' WHERE key = 'control.0.0';
