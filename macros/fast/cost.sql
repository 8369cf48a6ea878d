{#
Whether building anew is expected to be cheaper. At first by the size of the changes: more than two
joined tables, more than a tenth of a changed table (half of it where new rows are taken in), or
an unknown number of its rows (it was overwritten, restored or truncated). Then by what the view's
own last refreshes took.

Args: job (spec, target, sources), shape (strategy, values, changes, emptied). Returns: named
    reason, or none.
#}
{% macro _complete_is_cheaper(job, shape) %}
    {%- set joined = dbt_mview._joined_changes(shape) -%}
    {%- if joined > 2 -%}
        {{ return("TOO_MANY_CHANGES: in " ~ joined ~ " joined tables") }}
    {%- endif -%}
    {%- set part = 2 if dbt_mview._takes_in_new_rows(shape) else 10 -%}
    {%- for change in shape.changes -%}
        {%- set name = change.relation.split(".")[1:] | join(".") -%}
        {%- if change.rows is none -%}
            {{ return("TOO_MANY_CHANGES: " ~ name ~ " was overwritten") }}
        {%- endif -%}
        {%- set total = dbt_mview._rows_of(job, change, part) -%}
        {%- if change.rows * part > total -%}
            {{
                return(
                    "TOO_MANY_CHANGES: " ~ change.rows ~ " of the " ~ total ~ " rows of " ~ name
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {%- set rows = shape.changes | sum(attribute="rows") -%}
    {%- set cost = dbt_mview._expected_cost((job.spec.stored or {}).get("took"), rows) -%}
    {%- if none in [cost.fast, cost.complete] or cost.fast <= cost.complete -%} {{ return(none) }}
    {%- elif cost.guessed -%}
        {{
            return(
                "FAST_IS_SLOWER: "
                ~ (cost.fast | round(1))
                ~ " s, more than 1/"
                ~ cost.guessed
                ~ " of the first build; COMPLETE is tried once"
            )
        }}
    {%- endif -%}
    {{
        return(
            "FAST_IS_SLOWER: "
            ~ (cost.fast | round(1))
            ~ " s, COMPLETE "
            ~ (cost.complete | round(1))
            ~ " s at the last refreshes"
        )
    }}
{% endmacro %}


{#
What both methods are expected to take, from what the view's last refreshes did, as state has it:
what COMPLETE took (see _complete_took), and the median of the last three FAST ones that followed
about as many changes as there are now: from a quarter to five quarters, fewer where none did. So a
slow refresh of many changes says nothing against few, quick ones of few changes say nothing for
many once such were followed, and what was slow ages out.

A first build takes longer than later ones: others run beside it, and nothing is cached. Where it is
all that is known of COMPLETE, half of it is expected, and after n FAST refreshes an nth. So
COMPLETE is tried once when FAST has taken as long in all as the first build did: that cannot cost
more than was spent already (as in ski rental), and then there is a time to compare with.

Args: took (see _with_time, or none), rows (int: changed rows of the sources). Returns: mapping
    fast, complete: seconds, none where nothing is known; guessed: by what a first build was divided
    for complete, or none.
#}
{% macro _expected_cost(took, rows) %}
    {%- set known = dbt_mview._complete_took(took) -%}
    {%- set tried = (took or {"last": []}).last | selectattr(0, "equalto", "fast") | list -%}
    {%- set fast, alike = [], [] -%}
    {%- for method, changed, seconds in tried if changed * 4 <= rows * 5 -%}
        {%- do fast.append(seconds) -%}
        {%- if changed * 4 >= rows -%} {%- do alike.append(seconds) -%} {%- endif -%}
    {%- endfor -%}
    {%- set cost = {
        "fast": dbt_mview._median(alike[:3] or fast[:3]),
        "complete": known.complete,
        "guessed": none,
    } -%}
    {%- if known.complete is none and known.first is not none -%}
        {%- set part = [tried | length, 2] | max -%}
        {%- do cost.update({"complete": known.first / part, "guessed": part}) -%}
    {%- endif -%}
    {{ return(cost) }}
{% endmacro %}
