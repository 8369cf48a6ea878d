select 'after'
