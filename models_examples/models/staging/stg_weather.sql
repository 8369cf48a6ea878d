select
    origin,
    time_hour as observed_hour,
    temp as temperature_f,
    humid as humidity,
    wind_speed as wind_speed_mph,
    precip as precipitation_inches,
    visib as visibility_miles,
    case
        when precip = 0 then 'dry' when precip < 0.1 then 'light rain' else 'heavy rain'
    end as precipitation_band,
    case
        when wind_speed is null
        then 'unknown'
        when wind_speed < 10
        then 'calm'
        when wind_speed < 25
        then 'windy'
        else 'stormy'
    end as wind_band,
    case when visib < 1 then 'fog' when visib < 5 then 'haze' else 'clear' end as visibility_band
from {{ source("flights_raw", "weather") }}
