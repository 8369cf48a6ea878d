select
    flights.flight_id,
    flights.tail_number,
    planes.manufacturer,
    planes.model,
    planes.seats,
    flights.carrier,
    flights.origin,
    flights.destination,
    flights.scheduled_departure,
    flights.distance_miles,
    row_number() over by_departure as leg_number,
    lag(flights.destination) over by_departure as previous_destination,
    timestampdiff(
        minute, lag(flights.scheduled_departure) over by_departure, flights.scheduled_departure
    ) as minutes_since_previous_departure,
    sum(flights.distance_miles) over by_departure as miles_so_far
from {{ ref("stg_flights") }} as flights
inner join {{ ref("stg_planes") }} as planes on flights.tail_number = planes.tail_number
where not flights.is_cancelled
window
    by_departure as (
        partition by flights.tail_number order by flights.scheduled_departure, flights.flight_id
    )
