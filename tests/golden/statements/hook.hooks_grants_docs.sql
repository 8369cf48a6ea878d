select 'before'
