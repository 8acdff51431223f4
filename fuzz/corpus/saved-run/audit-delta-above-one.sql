-- of audit
UPDATE outcomes SET data = x'0000000000000040' WHERE series = 1;
