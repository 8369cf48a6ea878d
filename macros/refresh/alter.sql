{#
Step alter: table properties, before publish. Comments of the table and its columns come after it.
#}
{#
Step alter: brings the table properties up to date, which ALTER can change without a
rebuild. Runs right before publish; a run that dies in between finds the same difference again.

Args: spec, job (alterations, see _alterations).
#}
{% macro _alter(spec, job) %}
    {%- for clause in job.alterations -%}
        {%- if loop.first -%}
            {%- do log("Applying ALTER to: " ~ spec.rendered, info=false) -%}
        {%- endif -%}
        {%- do dbt_mview._run("alter", "alter table " ~ spec.name ~ " " ~ clause, job) -%}
    {%- endfor -%}
{% endmacro %}


{#
The ALTER clauses that lead from the recorded layout to the wanted one.

Args: spec, job, columns (of the query). Returns: list of SQL clauses; none if it takes a replace.
#}
{% macro _alterations(spec, job, columns) %}
    {%- if not job.state or not job.state.spec -%} {{ return(none) }}{%- endif -%}
    {%- set changed = dbt_mview._changed_keys(job.state.spec.layout, spec.layout) -%}
    {%- if not dbt_mview._are_altered(changed) -%} {{ return(none) }}{%- endif -%}
    {%- set old = dbt_mview._properties(job.state.spec.layout, columns) -%}
    {%- set new = dbt_mview._properties(spec.layout, columns) -%}
    {%- set clauses, gone = [], [] -%}
    {%- for key in old if key not in new -%}
        {%- do gone.append(dbt_mview._literal(key)) -%}
    {%- endfor -%}
    {%- set set_ = dbt_mview._differing(old, new) -%}
    {%- if gone -%}
        {%- do clauses.append("unset tblproperties if exists (" ~ gone | join(", ") ~ ")") -%}
    {%- endif -%}
    {%- if set_ -%}
        {%- do clauses.append("set tblproperties (" ~ dbt_mview._properties_sql(set_) ~ ")") -%}
    {%- endif -%}
    {{ return(clauses) }}
{% endmacro %}


{# Whether ALTER can do all of it. Args: keys (of the layout, or configs). Returns: bool. #}
{% macro _are_altered(keys) %}
    {{ return(not keys | reject("in", ["tblproperties", "change_feed"]) | list) }}
{% endmacro %}


{# The properties to set. Args: old, new (mappings). Returns: mapping, of new. #}
{% macro _differing(old, new) %}
    {%- set found = {} -%}
    {%- for key, value in new.items() if old.get(key) != value -%}
        {%- do found.update({key: value}) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{#
The comment that the view's table has as far as state knows. A publish that builds the table says it
in its statement. Unknown (none) where what comes after a publish is pending.

Args: spec, job. Returns: string, or none.
#}
{% macro _known_comment(spec, job) %}
    {%- set kept = job.skip or job.publish in ["insert", "merge", "append", "nothing"] -%}
    {%- if not kept -%} {{ return(spec.description) }}{%- endif -%}
    {%- if dbt_mview._is_post_publish_pending(job) -%} {{ return(none) }}{%- endif -%}
    {{ return(((job.state or {}).get("spec") or {}).get("description") or "") }}
{% endmacro %}


{#
Column comments, all in one commit, and only those that differ; the table's own comment.

Args: spec (of a view or a log), job, comment (string, that its table has, or none: unknown).
#}
{% macro _persist_docs(spec, job, comment) %}
    {%- set name = spec.name -%}
    {%- if spec.description is not none and comment != spec.description -%}
        {%- do dbt_mview._run(
            "docs",
            "comment on table " ~ name ~ " is " ~ dbt_mview._literal(spec.description),
            job,
        ) -%}
    {%- endif -%}
    {%- set present = {} -%}
    {%- set names = [] -%}
    {%- if spec.documented -%}
        {%- for row in dbt_mview._read(
            "describe_query", "describe query select * from " ~ name
        ).rows -%}
            {%- do present.update({row[0] | lower: row[2] or ""}) -%}
            {%- do names.append(row[0]) -%}
        {%- endfor -%}
        {%- set documented = spec.documented -%}
        {#- Newer dbt warns about documented columns that are missing, and knows `quote`. -#}
        {%- if validate_doc_columns is defined -%}
            {%- set relation = api.Relation.create(
                database=spec.database, schema=spec.schema, identifier=spec.identifier
            ) -%}
            {%- set documented = validate_doc_columns(relation, documented, names) -%}
        {%- endif -%}
        {%- set changes = [] -%}
        {%- for column in documented.values() if column.name | lower in present -%}
            {%- set description = column.description or "" -%}
            {%- if present[column.name | lower] != description -%}
                {%- do changes.append(
                    dbt_mview._quote(column.name)
                    ~ " comment "
                    ~ dbt_mview._literal(description)
                ) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- if changes -%}
            {%- do dbt_mview._run(
                "docs",
                "alter table " ~ name ~ " alter column " ~ changes | join(", "),
                job,
            ) -%}
        {%- endif -%}
    {%- endif -%}
{% endmacro %}
