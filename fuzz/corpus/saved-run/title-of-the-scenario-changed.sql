-- of audit
UPDATE meta SET value = replace (value, 'Audit', 'Other') WHERE key = 'scenario';
