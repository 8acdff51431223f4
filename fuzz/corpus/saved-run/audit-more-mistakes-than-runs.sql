-- of audit
UPDATE outcomes SET data = x'0000000080842e41' WHERE series = 4;
