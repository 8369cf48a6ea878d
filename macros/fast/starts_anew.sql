{#
Whether there is no result that FAST could go on from, so that even refresh: fast is a first build:
the view is new or was dropped; mview_recover restored its row, without what it was built with; or
it was built from no more than --empty or --sample let through.

Args: job (state, target). Returns: bool.
#}
{% macro _starts_anew(job) %}
    {%- set state = job.state -%}
    {%- if state is none or state.last_successful_refresh_read_time is none -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set built = state.spec -%}
    {{ return(not built or "cut_short" in built or job.target.kind == "missing") }}
{% endmacro %}
