select *
from values
    (
        'c.s.t', cast(3 as bigint),
        cast(5 as bigint), timestamp_micros(12),
        '2 commits'
    ),
    (
        cast(null as string), cast(null as bigint),
        cast(null as bigint), timestamp_micros(7),
        'failed'
    ),
    (
        cast(null as string), cast(null as bigint),
        cast(null as bigint), cast(null as timestamp),
        cast(null as string)
    )
    as stale (source, read_version, newest_version, unread_since, problem)
where
    problem is not null
    and (
        source is null
        or unread_since < current_timestamp() - cast('2 hours' as interval)
    )
