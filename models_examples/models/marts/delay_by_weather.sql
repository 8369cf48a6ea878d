select
    flights.origin,
    weather.precipitation_band,
    weather.wind_band,
    weather.visibility_band,
    count(*) as flights,
    count(case when flights.is_cancelled then 1 end) as cancelled,
    count(case when flights.departure_delay > 15 then 1 end) as late_departures,
    sum(flights.departure_delay) as departure_delay_minutes,
    avg(flights.departure_delay) as average_departure_delay
from {{ ref("stg_flights") }} as flights
inner join
    {{ ref("stg_weather") }} as weather
    on flights.origin = weather.origin
    and flights.scheduled_hour = weather.observed_hour
group by flights.origin, weather.precipitation_band, weather.wind_band, weather.visibility_band
