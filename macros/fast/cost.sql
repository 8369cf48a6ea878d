{#
Whether building anew is expected to be cheaper. At first by the size of the changes: more than two
joined tables, more than a tenth of a changed table, or an unknown number of its rows (it was
overwritten, restored or truncated). Then by what the view's own last refreshes took.

Args: job (target, sources), shape (changes, emptied). Returns: named reason, or none.
#}
{% macro _complete_is_cheaper(job, shape) %}
    {%- set joined = dbt_mview._joined_changes(shape) -%}
    {%- if joined > 2 -%}
        {{ return("TOO_MANY_CHANGES: in " ~ joined ~ " joined tables") }}
    {%- endif -%}
    {%- for change in shape.changes -%}
        {%- set name = change.relation.split(".")[1:] | join(".") -%}
        {%- if change.rows is none -%}
            {{ return("TOO_MANY_CHANGES: " ~ name ~ " was overwritten") }}
        {%- endif -%}
        {%- set total = dbt_mview._rows_of(job, change) -%}
        {%- if change.rows * 10 > total -%}
            {{
                return(
                    "TOO_MANY_CHANGES: " ~ change.rows ~ " of the " ~ total ~ " rows of " ~ name
                )
            }}
        {%- endif -%}
    {%- endfor -%}
    {%- set cost = dbt_mview._expected_cost(job, shape.changes | sum(attribute="rows")) -%}
    {%- if none in [cost.fast, cost.complete] or cost.fast <= cost.complete -%} {{ return(none) }}
    {%- elif cost.guessed -%}
        {{
            return(
                "FAST_IS_SLOWER: "
                ~ (cost.fast | round(1))
                ~ " s, more than "
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
What both methods are expected to take, from the newest commits of the view, which the look has
read and which say when their refresh began: the median of the last three COMPLETE ones, and of the
last three FAST ones that followed about as many changes as there are now: from a quarter to all of
them, fewer where none did. So a slow refresh of many changes says nothing against few, quick ones
of few changes say nothing for many once such were followed, and what was slow ages out.

A first build takes longer than later ones: others run beside it, and nothing is cached. Where it is
all that is known of COMPLETE, half of it is expected, and a quarter after three FAST refreshes; so
one that takes longer than that gives way once, and then there is a time to compare with.

Args: job (target), rows (int: changed rows of the sources). Returns: mapping fast, complete:
    seconds, none where nothing is known; guessed: which part of a first build complete is, or none.
#}
{% macro _expected_cost(job, rows) %}
    {%- set took = {"fast": [], "alike": [], "complete": [], "first": []} -%}
    {#- A commit without a time of reading only made the table: its build was deferred. -#}
    {%- for commit in job.target.history if (commit.meta or {}).get("read_time") -%}
        {%- set meta = commit.meta -%}
        {%- set reason = meta.reason or "" -%}
        {%- set counted = modules.re.search("(\\d+) changed rows\\)", reason) -%}
        {%- set changed = counted.group(1) | int if counted else 0 -%}
        {%- set method = "first" if reason.startswith("first build") else meta.method -%}
        {%- set alike = method == "fast" and changed * 4 >= rows -%}
        {%- set kinds = ["fast", "alike"] if alike else [method] -%}
        {%- for kind in kinds if kind in took and took[kind] | length < 3 and changed <= rows -%}
            {%- do took[kind].append((commit.commit_time - meta.started) / 1000000) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set cost = {"guessed": none} -%}
    {%- for method, seconds in took.items() -%}
        {%- set median = (seconds | sort)[seconds | length // 2] if seconds else none -%}
        {%- do cost.update({method: median}) -%}
    {%- endfor -%}
    {%- set alike = cost.pop("alike") -%}
    {%- if alike is not none -%} {%- do cost.update({"fast": alike}) -%} {%- endif -%}
    {%- set first = cost.pop("first") -%}
    {%- if cost.complete is none and first is not none -%}
        {%- set part = ("a quarter", 4) if took.fast | length == 3 else ("half", 2) -%}
        {%- do cost.update({"complete": first / part[1], "guessed": part[0]}) -%}
    {%- endif -%}
    {{ return(cost) }}
{% endmacro %}
