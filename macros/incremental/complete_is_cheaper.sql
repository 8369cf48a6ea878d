{# AUTO: whether COMPLETE is expected to be cheaper, by the size of sources and changes. #}
{#
Whether COMPLETE is expected to be cheaper. First by the size of the changes: more than two joined
tables, tables that only a relaxed WHERE joins, more than a tenth of a changed table (half of it if
rows only came), or an unknown number of its rows (it was overwritten, restored or truncated); or by
that of small sources. Then by the durations of the view's last refreshes.

Args: job (spec, target, sources), shape (strategy, values, changes, emptied). Returns: reason, or
    none.
#}
{% macro _complete_is_cheaper(job, shape) %}
    {%- set joined = dbt_mview._joined_changes(shape) -%}
    {%- if joined > 2 -%}
        {{ return(dbt_mview._reason("TOO_MANY_CHANGES", "in " ~ joined ~ " joined tables")) }}
    {%- endif -%}
    {%- if shape.get("crossed") -%}
        {%- set detail = "without its WHERE, which joins tables, all their rows are paired" -%}
        {{ return(dbt_mview._reason("FAST_IS_SLOWER", detail, ["joined_by_where"])) }}
    {%- endif -%}
    {%- set small = dbt_mview._small_source(job) -%}
    {%- if small -%} {{ return(small) }}{%- endif -%}
    {%- set part = 2 if dbt_mview._takes_in_new_rows(shape) else 10 -%}
    {%- for change in shape.changes -%}
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
    {%- set rows = shape.changes | sum(attribute="rows") -%}
    {%- set way = dbt_mview._way_of(shape.changes) -%}
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

Args: shape (emptied, see _classify; derived). Returns: int.
#}
{% macro _joined_changes(shape) %}
    {%- set emptied = shape.get("emptied") or {} -%}
    {%- set most = namespace(count=1) -%}
    {%- for name, others in emptied.items() -%}
        {%- set beside = emptied | reject("equalto", name) | reject("in", others) | list -%}
        {%- set most.count = [most.count, beside | length + 1] | max -%}
    {%- endfor -%}
    {%- for one in shape.get("derived", []) -%}
        {%- set inner = dbt_mview._joined_changes(one.query.shape) -%}
        {%- set most.count = [most.count, inner] | max -%}
    {%- endfor -%}
    {{ return(most.count) }}
{% endmacro %}


{#
Whether rows only came, and they are appended or added up. That is COMPLETE's own work on a part of
its rows: new rows alone, or, where two joined tables got some, those of each with the other table.

Args: shape, see _is_merge_decided. Returns: bool.
#}
{% macro _takes_in_new_rows(shape) %}
    {%- if dbt_mview._may_rows_go(shape, shape.changes) -%} {{ return(false) }}{%- endif -%}
    {{ return(shape.strategy == "row delta" or dbt_mview._is_merge_decided(shape)) }}
{% endmacro %}


{#
Whether rows go from what the query reads: those of tables, or of derived tables, whose touched
groups are taken away as they were. Args: shape (derived), changes. Returns: bool.
#}
{% macro _may_rows_go(shape, changes) %}
    {%- set deletes = changes | selectattr("deletes") | list -%}
    {%- set derived = shape.get("derived", []) | rejectattr("held") | list -%}
    {{ return(deletes | length + derived | length > 0) }}
{% endmacro %}


{#
Whether the changes decide every value of the view: counts, sums and averages are added up, and
extremes if no row went.

Args: shape (strategy, values, changes). Returns: bool.
#}
{% macro _is_merge_decided(shape) %}
    {%- if shape.strategy != "aggregate delta" -%} {{ return(false) }}{%- endif -%}
    {%- set went = dbt_mview._may_rows_go(shape, shape.changes) -%}
    {%- set decided = ["always"] if went else ["always", "inserts"] -%}
    {%- set rules = dbt_mview._aggregates() -%}
    {%- for kind in shape["values"].values() -%}
        {%- if kind not in rules or rules[kind].decided not in decided -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(true) }}
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
