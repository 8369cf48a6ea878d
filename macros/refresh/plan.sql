{#
Step plan: how the result is published, as data; nothing is written. The columns of the query are
read here.
#}
{#
Step plan: how the result is published, as data; nothing is written.

Args: spec, job. Sets job.method, job.columns (list of name, type, expression), job.publish
    (create: a new table; replace: new layout or columns in one commit; insert: same table;
    swap: replaces something that is no Delta table; merge, append, nothing: FAST, and the
    difference of COMPLETE), job.staged (bool), job.waits (bool: for its refresh_group, as there is
    a result to keep until then), job.deferred (bool; then job.reason, too), job.alterations,
    job.order and what _choose_method and _publish_difference set; table_id of job.sources.
Errors: duplicate or unusable column names; contract and on_schema_change violations.
#}
{% macro _plan(spec, job) %}
    {%- do job.update({"method": "complete"}) -%}
    {%- set wanted = dbt_mview._query_columns(spec, job) -%}
    {%- set kind = job.target.kind -%}
    {%- set ours = kind == "delta" and job.state and job.state.target_version is not none -%}
    {%- set alterations = dbt_mview._alterations(spec, job, wanted) -%}
    {%- set rebuild = (
        spec.full_refresh or alterations is none or job.reason.code == "TARGET_CHANGED"
    ) -%}
    {%- if kind == "missing" -%} {%- do job.update({"publish": "create", "columns": wanted}) -%}
    {%- elif kind != "delta" -%} {%- do job.update({"publish": "swap", "columns": wanted}) -%}
    {%- elif not ours or rebuild -%}
        {%- do job.update({"publish": "replace", "columns": wanted}) -%}
    {%- else -%} {%- do dbt_mview._plan_schema_change(spec, job, wanted) -%}
    {%- endif -%}
    {%- set deferred = spec.build == "deferred" and kind == "missing" and not spec.full_refresh -%}
    {%- do job.update(
        {
            "deferred": deferred,
            "waits": spec.refresh_group is not none and kind == "delta",
            "alterations": alterations if job.publish == "insert" else [],
        }
    ) -%}
    {%- if deferred -%} {%- do job.update({"reason": dbt_mview._reason("build_deferred")}) -%}
    {%- else -%}
        {%- do dbt_mview._choose_method(spec, job) -%}
        {%- do dbt_mview._publish_difference(spec, job) -%}
        {%- if not job.fast -%} {%- do job.update({"staged": dbt_mview._must_stage(spec, job)}) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do dbt_mview._note_table_ids(job) -%}
    {%- if job.publish == "replace" -%}
        {%- do log("Applying REPLACE to: " ~ spec.rendered, info=false) -%}
    {%- endif -%}
{% endmacro %}


{#
Whether a COMPLETE result is inspected before it is published: for its group, its audits, or a
unique_key that the plan of the query does not prove. Without that, the result is written once.

Args: spec, job (waits, columns, reads, bindings), ask (bool: the plan may be asked). Returns: bool.
#}
{% macro _must_stage(spec, job, ask=true) %}
    {%- if spec.audit or job.waits -%} {{ return(true) }}
    {%- elif not (spec.unique_key and ask) -%} {{ return(spec.unique_key | length > 0) }}
    {%- endif -%}
    {%- set delta_plan = dbt_mview._delta_plan(spec, job, true) -%}
    {{
        return(
            delta_plan.reason is not none or not dbt_mview._is_unique_by_plan(spec, delta_plan)
        )
    }}
{% endmacro %}


{#
The columns of the query at the pinned versions, in the order of an enforced contract if there is
one. A source may have got a column since then.

Args: spec, job (query). Sets job.order (the names as the query has them, lower case).
Returns: see _describe_query.
Errors: two columns of one name; a name that Delta cannot store.
#}
{% macro _query_columns(spec, job) %}
    {%- set columns = dbt_mview._describe_query(job.query) -%}
    {%- set seen = [] -%}
    {%- for column in columns -%}
        {%- if column.name | lower in seen -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "the query has two columns named '" ~ column.name ~ "'.",
                "Give each column a name of its own; Spark compares them without case.",
            ) -%}
        {%- endif -%}
        {%- if modules.re.search(
            "[ ,;{}()\\n\\t=]", column.name
        ) and "delta.columnMapping.mode" not in spec.layout.tblproperties -%}
            {%- do dbt_mview._raise(
                spec.mview_id,
                "Delta cannot store the column name '" ~ column.name ~ "'.",
                "Rename it without blanks and ,;{}()= or set tblproperties: "
                ~ "{'delta.columnMapping.mode': 'name'}.",
            ) -%}
        {%- endif -%}
        {%- do seen.append(column.name | lower) -%}
    {%- endfor -%}
    {%- do job.update({"order": seen}) -%}
    {%- if spec.contract -%} {{ return(dbt_mview._contract_columns(spec, columns)) }}{%- endif -%}
    {{ return(columns) }}
{% endmacro %}
