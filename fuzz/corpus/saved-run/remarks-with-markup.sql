-- of programs
UPDATE meta SET value = '<script>]]>&[a](b)' || char (10) || '=1+1' WHERE key = 'remarks';
