{#
Creates state on first use, upgrades an older layout, refuses a newer one. Every entry of the
package calls this before it reads or writes state.
#}
{#
Creates the schemas and state tables that are missing, and refuses those it cannot work with.
Runs once per invocation, from on-run-start or on first use. A dry run prints the statements and
continues as if state existed and were empty.

Args: dry_run (bool), logs (bool: the tables of logs, which a project without logs never gets).
Errors: a table of that name that is not ours; a table of a newer layout; a Spark without Delta's
    extension; a store that loses commits, see _refuse_lost_commits.
#}
{% macro _ensure_state(dry_run=false, logs=false) %}
    {%- set memory = dbt_mview._memory() -%}
    {%- if not memory.ensured -%}
        {%- set job = dbt_mview._bare_job(dry_run) -%}
        {%- for schema in [dbt_mview._state_schema(), dbt_mview._stage_schema()] | unique -%}
            {%- if not dbt_mview._has_schema(schema) -%}
                {%- do memory.new_schemas.append(schema) -%}
                {#- The engine's own error comes next where it cannot: no macro sees that. -#}
                {%- do log(
                    "dbt_mview: makes its schema "
                    ~ schema
                    ~ ", on the first run here. docs/operations.md says what an error now means.",
                    info=not dry_run,
                ) -%}
                {%- do dbt_mview._run(
                    "ensure_state",
                    "create schema if not exists " ~ dbt_mview._quote(schema),
                    job,
                ) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- set there = dbt_mview._tables_like(
            dbt_mview._state_schema(), "mview_refresh_*|mview_stage_*"
        ) -%}
        {%- do dbt_mview._ensure_tables("mview_refresh", there, dry_run) -%}
        {%- do memory.update({"ensured": true, "stages": dbt_mview._stages(there)}) -%}
    {%- endif -%}
    {%- if logs and not memory.ensured_logs -%}
        {%- set there = dbt_mview._tables_like(dbt_mview._state_schema(), "mlog_purge_*") -%}
        {%- do dbt_mview._ensure_tables("mlog_purge", there, dry_run) -%}
        {%- do memory.update({"ensured_logs": true}) -%}
    {%- endif -%}
{% endmacro %}


{#
The tables of one kind.

Args: kind (string, or tuple of strings: how their names begin), there (list of those that there
    are), dry_run.
#}
{% macro _ensure_tables(kind, there, dry_run) %}
    {%- set layout = dbt_mview._state_layout() -%}
    {%- for table, columns in layout.tables.items() if table.startswith(kind) -%}
        {%- if table in there -%}
            {%- if dbt_mview._check_layout(table, layout.version) < layout.version -%}
                {%- do dbt_mview._upgrade_layout(table, columns, layout.version, dry_run) -%}
            {%- endif -%}
        {%- else -%}
            {%- if dry_run and table == "mview_refresh_info" -%}
                {%- do dbt_mview._memory().update({"without_state": true}) -%}
            {%- elif not dry_run and table.endswith("_info") -%}
                {%- do dbt_mview._refuse_bare_engine() -%}
                {%- do dbt_mview._refuse_lost_commits(dbt_mview._state_schema()) -%}
            {%- endif -%}
            {%- do dbt_mview._run(
                "ensure_state",
                dbt_mview._create_state_sql(table, columns, layout.version),
                dbt_mview._bare_job(dry_run),
            ) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}


{#
A state table must be one, and of a layout that this release knows.

Args: table (string), version (int, the newest layout known). Returns: int, the one found.
Errors: the table is not ours, or of a newer layout.
#}
{% macro _check_layout(table, version) %}
    {%- set name = dbt_mview._state_table(table) -%}
    {%- set found = [] -%}
    {%- for row in dbt_mview._read("layout", "show tblproperties " ~ name).rows -%}
        {%- if row[0] == "dbt_mview.layout" -%} {%- do found.append(row[1] | int) -%} {%- endif -%}
    {%- endfor -%}
    {%- if not found -%}
        {%- do dbt_mview._raise(
            name,
            "a table of this name exists and is not a state table of dbt_mview.",
            "Rename it, or set the var dbt_mview:state_schema to another schema.",
        ) -%}
    {%- elif found[0] > version -%}
        {%- do dbt_mview._raise(
            name,
            "state has layout "
            ~ found[0]
            ~ ", this release of dbt_mview knows up to "
            ~ version
            ~ ".",
            "Upgrade the package in this project to the release that wrote it.",
        ) -%}
    {%- endif -%}
    {{ return(found[0]) }}
{% endmacro %}


{#
Upgrades a state table of an older release to this one's layout, which only ever adds columns. If
two runs, or threads of one, do it at the same moment, one finds the columns there.

Args: table (string), columns (list of [name, type]), version (int), dry_run (bool).
Errors: a dry run, which could not go on; the engine's own.
#}
{% macro _upgrade_layout(table, columns, version, dry_run) %}
    {%- set name = dbt_mview._state_table(table) -%}
    {%- if dry_run -%}
        {%- do dbt_mview._raise(
            name,
            "state has the layout of an older release.",
            "Any dbt run, or run-operation without dry_run, brings it up to date first.",
        ) -%}
    {%- endif -%}
    {%- set job = dbt_mview._bare_job() -%}
    {#- What another run does not have to have added by now, fails with the engine's error. -#}
    {%- for may_fail in [true, false] -%}
        {%- set there = [] -%}
        {%- for column in dbt_mview._describe_query("select * from " ~ name) -%}
            {%- do there.append(column.name | lower) -%}
        {%- endfor -%}
        {%- for column, type in columns if column not in there -%}
            {%- set add = "alter table " ~ name ~ " add columns (" ~ column ~ " " ~ type ~ ")" -%}
            {%- do dbt_mview._run(
                "ensure_state", dbt_mview._try_sql(add) if may_fail else add, job
            ) -%}
        {%- endfor -%}
    {%- endfor -%}
    {%- set sql = (
        "alter table "
        ~ name
        ~ " set tblproperties ("
        ~ dbt_mview._state_properties_sql(table, version)
        ~ ")"
    ) -%}
    {%- do dbt_mview._run("ensure_state", dbt_mview._retry_on_conflict_sql(sql), job) -%}
{% endmacro %}
