select
    year,
    month,
    day,
    dep_time,
    dep_delay,
    arr_delay,
    carrier,
    flight,
    tailnum,
    origin,
    dest,
    air_time,
    distance,
    minute,
    time_hour
from {{ source("flights_raw", "flights") }}
