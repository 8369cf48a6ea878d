{#
One value of a group after the change. v is the view's row, s the staged one.

Args: index, column (quoted), kind (see _shape). Returns: mapping sql, doubt (condition under which
    lost rows leave it in doubt, or none), alive (condition that shows that rows are left), and of a
    wide sum unsure (condition under which it is in doubt whatever came or went).
#}
{% macro _combined_value(index, column, kind) %}
    {%- if kind in ["min", "max"] -%}
        {{ return(dbt_mview._combined_extreme(index, column, kind)) }}
    {%- endif -%}
    {%- set old, change = "v." ~ column, "s._mview_sum_" ~ index -%}
    {%- if kind == "mean" -%}
        {#- How many values it is of, see _values_behind_sql; the mean is told from that. -#}
        {%- set had = "case when v._mview_there then v._mview_count_" ~ index ~ " else 0 end" -%}
        {%- set count = "try_cast(" ~ had ~ " + " ~ change ~ " as decimal(10, 0))" -%}
        {{ return({"sql": count, "doubt": none, "alive": count ~ " > 0"}) }}
    {%- endif -%}
    {%- set sum = "coalesce(" ~ old ~ ", 0) + coalesce(" ~ change ~ ", 0)" -%}
    {%- if kind in ["count", "count_all"] -%}
        {{ return({"sql": sum, "doubt": none, "alive": sum ~ " > 0"}) }}
    {%- endif -%}
    {%- if kind == "wide_sum" -%}
        {%- set overflown = "coalesce(v._mview_there, false) and " ~ old ~ " is null" -%}
        {%- set sum = "coalesce(" ~ old ~ ", 0) + " ~ change -%}
        {{
            return(
                {
                    "sql": sum,
                    "unsure": "(" ~ overflown ~ " or " ~ sum ~ " is null)",
                    "doubt": sum ~ " = 0",
                    "alive": sum ~ " <> 0",
                }
            )
        }}
    {%- endif -%}
    {%- set any = "coalesce(" ~ old ~ ", " ~ change ~ ") is not null" -%}
    {{
        return(
            {
                "sql": "case when " ~ any ~ " then " ~ sum ~ " end",
                "doubt": "(" ~ any ~ " and " ~ sum ~ " = 0)",
                "alive": sum ~ " <> 0",
            }
        )
    }}
{% endmacro %}


{#
As _combined_value. Decided is a value that came and that no old and no lost one goes before, and
an old one that no lost and no new one goes before; or there never was any.
#}
{% macro _combined_extreme(index, column, kind) %}
    {%- set old = "v." ~ column -%}
    {%- set come, gone = "s._mview_come_" ~ index, "s._mview_gone_" ~ index -%}
    {%- set before, pick = ("<", "least") if kind == "min" else (">", "greatest") -%}
    {%- set came -%}
{{ come }} is not null
            and coalesce({{ come }} {{ before }}= {{ old }}, true)
            and coalesce({{ come }} {{ before }} {{ gone }}, true)
    {%- endset -%}
    {%- set stays -%}
{{ old }} is not null
            and coalesce({{ old }} {{ before }} {{ gone }}, true)
            and coalesce({{ old }} {{ before }}= {{ come }}, true)
    {%- endset -%}
    {%- set never = "coalesce(" ~ old ~ ", " ~ come ~ ", " ~ gone ~ ") is null" -%}
    {{
        return(
            {
                "sql": pick ~ "(" ~ old ~ ", " ~ come ~ ")",
                "doubt": "not (" ~ came ~ "\n            or " ~ stays ~ "\n            or "
                ~ never ~ ")",
                "alive": "(" ~ came ~ ") or (" ~ stays ~ ")",
            }
        )
    }}
{% endmacro %}
