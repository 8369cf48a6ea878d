select max(version) as upto, max(files) as files, max(rows) as rows
from (
    select
        _commit_version as version,
        sum(files) over (order by _commit_version) as files,
        sum(rows) over (order by _commit_version) as rows,
        row_number() over (order by _commit_version) as nth
    from (
        select _commit_version, count(*) as files, sum(rows) as rows
        from (
            select _commit_version, count(*) as rows
            from `s`.`log`
            where _commit_version > 2 and _commit_version <= 4
            group by _commit_version, _metadata.file_path
        )
        group by _commit_version
    )
)
where nth = 1 or files <= 10
