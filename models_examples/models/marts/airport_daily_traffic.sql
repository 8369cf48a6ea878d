select
    flights.flight_date,
    flights.origin as airport_code,
    airports.airport_name,
    count(*) as scheduled,
    count(flights.departure_delay) as departures,
    count(case when flights.is_cancelled then 1 end) as cancelled,
    count(distinct flights.destination) as destinations,
    sum(flights.distance_miles) as distance_miles
from {{ ref("stg_flights") }} as flights
inner join {{ ref("stg_airports") }} as airports on flights.origin = airports.airport_code
group by flights.flight_date, flights.origin, airports.airport_name
