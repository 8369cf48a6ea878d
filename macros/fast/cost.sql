{#
Whether building anew is expected to be cheaper. At first by the size of the changes: more than a
tenth of a changed table, or an unknown number of its rows (it was overwritten, restored or
truncated). Then by what the view's own last refreshes took.

Args: spec, job, shape (changes). Returns: named reason, or none.
#}
{% macro _complete_is_cheaper(spec, job, shape) %}
    {%- for change in shape.changes -%}
        {%- set name = change.relation.split(".")[1:] | join(".") -%}
        {%- if change.rows is none -%}
            {{ return("TOO_MANY_CHANGES: " ~ name ~ " was overwritten") }}
        {%- endif -%}
        {%- set total = (
            dbt_mview._read(
                "count",
                "select count(*) from "
                ~ dbt_mview._quoted_name(change.relation)
                ~ " version as of "
                ~ change.end,
            ).rows[0][0]
            | int
        ) -%}
        {%- if change.rows * 10 > total -%}
            {{
                return(
                    "TOO_MANY_CHANGES: " ~ change.rows ~ " of the " ~ total ~ " rows of " ~ name
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(dbt_mview._learned_cost(spec)) }}
{% endmacro %}


{#
What the last successful refreshes of the view say, three of each method at most. A FAST one that
was slower ages out of the last twenty, and FAST is tried again.

Args: spec. Returns: named reason, or none.
#}
{% macro _learned_cost(spec) %}
    {%- set took = {"fast": [], "complete": []} -%}
    {%- for row in dbt_mview._read_history([spec.mview_id], 20).rows -%}
        {%- set seconds = ((row[2] | int) - (row[1] | int)) / 1000000 -%}
        {%- if row[4] == "success" and row[3] in took and took[row[3]] | length < 3 -%}
            {%- do took[row[3]].append(seconds) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not took.fast or not took.complete -%} {{ return(none) }}{%- endif -%}
    {%- set fast = (took.fast | sort)[took.fast | length // 2] -%}
    {%- set complete = (took.complete | sort)[took.complete | length // 2] -%}
    {%- if fast <= complete -%} {{ return(none) }}{%- endif -%}
    {{
        return(
            "FAST_IS_SLOWER: " ~ fast
            | round(1) ~ " s, COMPLETE " ~ complete
            | round(1) ~ " s at the last refreshes"
        )
    }}
{% endmacro %}
