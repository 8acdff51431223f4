-- of programs
UPDATE meta SET value = '-1 x 1e999 nan 18446744073709551616 0 0 0' WHERE key = 'dataset.0.units';
