{#
A statement that is run again when another writer won the race for the same rows. Jinja
cannot catch that error, a SQL script can; the last try has no handler, so its error is shown.
Where nobody is in the way the script evaluates nothing but the statement: Spark plans a query for
each SET and each condition of a script.

Args: sql (one statement). Returns: SQL text.
#}
{% macro _retry_on_conflict_sql(sql) %}
begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
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
    end;
    {{ sql }};
end
{%- endmacro %}
