{#
A statement that is run again when another writer won the race for the same rows. Jinja
cannot catch that error, a SQL script can; the last try is outside, so its error is shown.

Args: sql (one statement). Returns: SQL text.
#}
{% macro _retry_on_conflict_sql(sql) %}
begin
    declare tries int default 0;
    while tries < 10 do
        begin
            declare exit handler for sqlstate '2D521' set tries = tries + 1;
            {{ sql }};
            set tries = 100;
        end;
    end while;
    if tries < 100 then
        {{ sql }};
    end if;
end
{%- endmacro %}
