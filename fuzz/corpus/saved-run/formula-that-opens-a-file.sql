-- of audit
UPDATE counted SET python = 'open(1)';
