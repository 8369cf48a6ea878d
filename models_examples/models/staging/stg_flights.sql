select
    concat_ws('-', make_date(year, month, day), carrier, flight, origin) as flight_id,
    make_date(year, month, day) as flight_date,
    make_date(year, month, 1) as flight_month,
    carrier,
    flight as flight_number,
    tailnum as tail_number,
    origin,
    dest as destination,
    time_hour as scheduled_hour,
    time_hour + make_dt_interval(0, 0, minute) as scheduled_departure,
    dep_delay as departure_delay,
    arr_delay as arrival_delay,
    air_time as air_time_minutes,
    distance as distance_miles,
    dep_time is null as is_cancelled
from {{ source("flights_raw", "flights") }}
