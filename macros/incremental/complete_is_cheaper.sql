{# AUTO: whether COMPLETE is expected to be cheaper, by the size of sources and changes. #}
{#
Whether COMPLETE is expected to be cheaper. First by the size of the changes: more than two changed
occurrences that are joined, tables that only a relaxed WHERE joins, more than a tenth of a changed
table (half of it if rows only came), or an unknown number of its rows (it was overwritten, restored
or truncated); or by that of small sources. Then by the durations of the view's last refreshes.

Args: job (spec, target, sources), plan (strategy, values, changes, zero_delta, crossed, dated,
    derived). Returns: reason, or none.
#}
{% macro _complete_is_cheaper(job, plan) %}
    {%- set joined = dbt_mview._joined_changes(plan) -%}
    {%- if joined > 2 -%}
        {{ return(dbt_mview._reason("TOO_MANY_CHANGES", "in " ~ joined ~ " joined tables")) }}
    {%- endif -%}
    {%- if plan.crossed -%}
        {%- set detail = "without its WHERE, which joins tables, all their rows are paired" -%}
        {{ return(dbt_mview._reason("FAST_IS_SLOWER", detail, ["joined_by_where"])) }}
    {%- endif -%}
    {%- set small = dbt_mview._small_source(job) -%}
    {%- if small -%} {{ return(small) }}{%- endif -%}
    {%- set part = 2 if dbt_mview._takes_in_new_rows(plan) else 10 -%}
    {%- for change in plan.changes -%}
        {%- set name = dbt_mview._short_name(change.relation) -%}
        {%- if change.rows is none -%}
            {{ return(dbt_mview._reason("TOO_MANY_CHANGES", name ~ " was overwritten")) }}
        {%- endif -%}
        {%- set total = dbt_mview._rows_of(job, change, part) -%}
        {%- if change.rows * part > total -%}
            {%- set detail = change.rows ~ " of the " ~ total ~ " rows of " ~ name -%}
            {{ return(dbt_mview._reason("TOO_MANY_CHANGES", detail, ["large_part"])) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set rows = plan.changes | sum(attribute="rows") -%}
    {%- set way = dbt_mview._way_of(plan.changes, plan.dated) -%}
    {%- set cost = dbt_mview._expected_cost((job.spec.stored or {}).get("took"), rows, way) -%}
    {%- if none in [cost.fast, cost.complete] or cost.fast <= cost.complete -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set seconds = (cost.fast | round(1)) ~ " s" -%}
    {%- set detail = (
        seconds
        ~ ", more than 1/"
        ~ cost.guessed
        ~ " of the first build; COMPLETE is tried once"
        if cost.guessed
        else seconds
        ~ ", COMPLETE "
        ~ (cost.complete | round(1))
        ~ " s at the last refreshes"
    ) -%}
    {{ return(dbt_mview._reason("FAST_IS_SLOWER", detail)) }}
{% endmacro %}


{#
How many changed source occurrences of a query are joined with each other at most. A change is
followed occurrence by occurrence, with the others whole: with three of them, the tables are read
twice as often as by COMPLETE. Branches of a UNION ALL are not read for each other.

Args: plan (delta plan: zero_delta, derived). Returns: int.
#}
{% macro _joined_changes(plan) %}
    {%- set zero_delta = plan.zero_delta -%}
    {%- set most = namespace(count=1) -%}
    {%- for name, others in zero_delta.items() -%}
        {%- set beside = zero_delta | reject("equalto", name) | reject("in", others) | list -%}
        {%- set most.count = [most.count, beside | length + 1] | max -%}
    {%- endfor -%}
    {%- for one in plan.derived -%}
        {%- set inner = dbt_mview._joined_changes(one.query.plan) -%}
        {%- set most.count = [most.count, inner] | max -%}
    {%- endfor -%}
    {{ return(most.count) }}
{% endmacro %}


{#
Whether rows only came, and they are appended or added up. That is COMPLETE's own work on a part of
its rows: new rows alone, or, where two joined tables got some, those of each with the other table.

Args: plan, see _is_merge_decided. Returns: bool.
#}
{% macro _takes_in_new_rows(plan) %}
    {%- if dbt_mview._may_rows_go(plan, plan.changes) -%} {{ return(false) }}{%- endif -%}
    {{ return(plan.strategy == "row delta" or dbt_mview._is_merge_decided(plan)) }}
{% endmacro %}


{#
How many rows a source has, or has at least: what the view's newest commit says, less the rows that
changed since, where that is enough to see that few of them did. Else they are counted, for which
Delta reads the whole list of the table's files.

Args: job (sources, target), change (see _source_changes), part (int: few are at
    most one in so many). Returns: int. Sets rows of the source, which the view's next commit says.
#}
{% macro _rows_of(job, change, part) %}
    {%- set at_least = dbt_mview._rows_known(job.target.history, change) -%}
    {%- if at_least is none or change.rows * part > at_least -%}
        {%- set at_least = dbt_mview._rows_at(change.relation, change.end) -%}
    {%- endif -%}
    {%- for source in job.sources if source.relation == change.relation -%}
        {%- do source.update({"rows": at_least}) -%}
    {%- endfor -%}
    {{ return(at_least) }}
{% endmacro %}


{#
Args: history (of the view, newest first), change. Returns: int, or none where the newest refresh
    says nothing of the version from which the change leads on.
#}
{% macro _rows_known(history, change) %}
    {%- set ours = history | selectattr("meta") | list -%}
    {%- for source in (ours[0].meta.get("sources") if ours else none) or [] -%}
        {%- set same = source.relation == change.relation and source.version == change.start -%}
        {%- if same and source.get("rows") is not none -%}
            {{ return(source.rows - change.rows) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
Whether a view's sources are so small that it is built anew. Not if FAST was tried, or COMPLETE took
longer than that can be: then what it reads is not what it costs. Not if others follow the view
either, as COMPLETE publishes the difference then, which costs what FAST does (docs/decisions/0037).

Their size is what their commits say, as far as the look has read them; no statement asks for it.

Args: job (spec, sources). Returns: reason, or none.
#}
{% macro _small_source(job) %}
    {%- set most = dbt_mview._small_source_bytes() -%}
    {%- set took = (job.spec.stored or {}).get("took") -%}
    {%- set tried = (took or {"last": []}).last | map(attribute=0) | list -%}
    {%- set known = dbt_mview._complete_durations(took) -%}
    {#- A first build is slow: nothing is cached, others run beside it. -#}
    {%- set slow = (known.first or 0) > 60 if known.complete is none else known.complete > 10 -%}
    {%- if most == 0 or slow or tried | select("in", dbt_mview._fast_methods()) | list -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set size = dbt_mview._source_bytes(job.sources) -%}
    {%- if size is none or size > most or dbt_mview._is_followed(job.spec.mview_id) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set detail = "at most " ~ (size / 1000000) | round(1) ~ " MB to read" -%}
    {{ return(dbt_mview._reason("SMALL_SOURCE", detail)) }}
{% endmacro %}


{# Args: sources (pins). Returns: int, what all of them hold at most; none if it is not known. #}
{% macro _source_bytes(sources) %}
    {%- set size = namespace(sum=0) -%}
    {%- for source in sources -%}
        {%- set seen = dbt_mview._memory().tables.get(source.relation) -%}
        {%- set bytes = dbt_mview._bytes_at_most(seen.commits) if seen else none -%}
        {%- if bytes is none -%} {{ return(none) }}{%- endif -%}
        {%- set size.sum = size.sum + bytes -%}
    {%- endfor -%}
    {{ return(size.sum if sources else none) }}
{% endmacro %}


{#
Returns: int, up to how many bytes sources are small; 0: none are.
Errors: the var is no whole number.
#}
{% macro _small_source_bytes() %}
    {%- set value = var("dbt_mview:small_source_bytes", 16777216) -%}
    {%- set text = value | string | trim -%}
    {%- if not modules.re.fullmatch("[0-9]{1,18}", text) -%}
        {%- do dbt_mview._raise(
            "the var dbt_mview:small_source_bytes",
            "'" ~ value ~ "' is no whole number of bytes.",
            "Give up to how many bytes of sources AUTO builds a view anew; 0 never does for that.",
        ) -%}
    {%- endif -%}
    {{ return(text | int) }}
{% endmacro %}
