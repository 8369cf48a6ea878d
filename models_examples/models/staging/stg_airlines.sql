select carrier, name as airline_name from {{ source("flights_raw", "airlines") }}
