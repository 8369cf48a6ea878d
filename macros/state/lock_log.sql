{#
The lock of a log, in one commit that is made only where the condition holds.

Args: log_, job (owner), condition (SQL text), token (int, the new one).
Returns: SQL text, a script whose one row says acquired, busy or conflict.
#}
{% macro _lock_log_sql(log_, job, condition, token) -%}
begin
    declare exit handler for sqlstate '2D521' select 'conflict' as outcome;
    declare exit handler for sqlstate 'P0001' select 'busy' as outcome;
    update {{ dbt_mview._log_info_table() }}
    set
        lock_owner = case
            when {{ condition }} then {{ dbt_mview._literal(job.owner) }}
            else raise_error('busy')
        end,
        lock_token = {{ token }},
        lock_time = current_timestamp(),
        lease_until = current_timestamp() + {{ dbt_mview._lease_sql() }}
    where mlog_id = {{ dbt_mview._literal(log_.mlog_id) }};
    select 'acquired' as outcome;
end
{%- endmacro %}


{# How long a lock holds without being renewed. Returns: SQL text, an interval. #}
{% macro _lease_sql() %}
    {{ return("make_interval(0, 0, 0, 0, 0, 0, " ~ dbt_mview._lease_seconds() ~ ")") }}
{% endmacro %}


{# Returns: int. Errors: the var dbt_mview:lease_seconds is no whole number above 0. #}
{% macro _lease_seconds() %}
    {{ return(dbt_mview._count_from_var("dbt_mview:lease_seconds", 3600)) }}
{% endmacro %}


{# Whether a lock may be taken: its lease is over, or there is none. Returns: SQL condition. #}
{% macro _lease_over_sql() %}
    {{ return("coalesce(lease_until < current_timestamp(), true)") }}
{% endmacro %}
