select
    faa as airport_code,
    name as airport_name,
    lat as latitude,
    lon as longitude,
    alt as altitude_feet,
    tzone as time_zone
from {{ source("flights_raw", "airports") }}
