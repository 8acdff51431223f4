-- of programs
UPDATE meta SET value = char (8237) WHERE key = 'kernels';
