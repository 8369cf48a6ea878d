select
    manufacturer,
    aircraft_type,
    count(*) as aircraft,
    sum(seats) as seats,
    min(year_built) as oldest_year_built,
    max(year_built) as newest_year_built
from {{ ref("stg_planes") }}
group by manufacturer, aircraft_type
