select
    daily.flight_month,
    daily.carrier,
    airlines.airline_name,
    sum(daily.flights) as flights,
    sum(daily.cancelled) as cancelled,
    sum(daily.late_arrivals) as late_arrivals,
    max(daily.worst_arrival_delay) as worst_arrival_delay,
    cast(
        100.0 * sum(daily.late_arrivals) / nullif(sum(daily.arrived), 0) as decimal(5, 2)
    ) as late_arrivals_percent,
    cast(
        1.0 * sum(daily.arrival_delay_minutes) / nullif(sum(daily.arrived), 0) as decimal(7, 2)
    ) as average_arrival_delay
from {{ ref("carrier_daily_delays") }} as daily
inner join {{ ref("stg_airlines") }} as airlines on daily.carrier = airlines.carrier
group by daily.flight_month, daily.carrier, airlines.airline_name
