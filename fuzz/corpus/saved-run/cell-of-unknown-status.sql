-- of audit
UPDATE cells SET status = 9;
