-- of programs
UPDATE meta SET value = 'defense program: not confined (<b>)' WHERE key = 'confinement';
