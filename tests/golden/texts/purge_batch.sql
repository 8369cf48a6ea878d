delete from `s`.`log`
where _commit_version <= 4
    and cast(_commit_version as string) <> 'jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj-1'
