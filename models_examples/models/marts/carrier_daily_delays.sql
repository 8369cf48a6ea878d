select
    flight_month,
    flight_date,
    carrier,
    count(*) as flights,
    count(departure_delay) as departed,
    count(arrival_delay) as arrived,
    count(case when is_cancelled then 1 end) as cancelled,
    count(case when arrival_delay > 15 then 1 end) as late_arrivals,
    sum(departure_delay) as departure_delay_minutes,
    sum(arrival_delay) as arrival_delay_minutes,
    max(arrival_delay) as worst_arrival_delay
from {{ ref("stg_flights") }}
group by flight_month, flight_date, carrier
