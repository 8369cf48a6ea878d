{# What may be purged: up to the lowest version that a view has read. #}
{#
What a log holds, how far it may be purged, and whether that was done already. The log's row of
state is read before: a lock that is taken by the token of that row proves that no other purge came
between, and that all this still holds.

Args: mlog_id, job (row, pass_over). Sets job.log (see _log_to_purge), job.safe (see _safe_version),
    job.needless.
#}
{% macro _inspect_purge(mlog_id, job) %}
    {%- set log_ = dbt_mview._log_to_purge(mlog_id, job.pass_over) -%}
    {%- do job.update({"log": log_, "needless": true}) -%}
    {%- if log_ is none -%} {{ return(none) }}{%- endif -%}
    {%- set safe = dbt_mview._safe_version(log_) -%}
    {%- set last = job.row.last_purged_version -%}
    {#- A log started again over a new base holds versions that were purged of the old one. -#}
    {%- set begins = log_.coverage.start.version -%}
    {%- set needless = last is not none and safe.version <= [last, begins] | min -%}
    {%- do job.update({"safe": safe, "needless": needless}) -%}
{% endmacro %}


{#
Args: mlog_id, pass_over (bool: what is gone is a warning).
Returns: see _find_log; or none, if it is passed over.
Errors: the log or its base is gone.
#}
{% macro _log_to_purge(mlog_id, pass_over=false) %}
    {%- set log_ = dbt_mview._find_log(mlog_id) -%}
    {%- set base = log_.coverage.base -%}
    {%- if not base -%}
        {%- set taken = "" if log_.kind == "missing" else ", something else has its name" -%}
        {%- set what = "the materialized view log is gone" ~ taken -%}
        {%- set way_out = "Run its model: that rebuilds it." -%}
    {%- elif dbt_mview._kind_at(base) != "delta" -%}
        {%- set what = "its base " ~ base ~ " is gone" -%}
        {%- set way_out = "Create it again and run the log's model, or drop the log." -%}
    {%- else -%} {{ return(log_) }}
    {%- endif -%}
    {%- if not pass_over -%} {%- do dbt_mview._raise(mlog_id, what ~ ".", way_out) -%} {%- endif -%}
    {%- do exceptions.warn(
        "dbt_mview: " ~ mlog_id ~ ": " ~ what ~ ", it is not purged. " ~ way_out
    ) -%}
    {{ return(none) }}
{% endmacro %}


{#
Up to which version of its base a log may be purged: the lowest that a view has read, and never
further than the log has captured. A view that was never built, or is being built at this moment,
has read version 0.

Args: log_ (mapping mlog_id, coverage).
Returns: mapping version, commit_time, dependents (list of mappings mview_id, version, lowest
    first).
Errors: a view of this project was built from the base and has no row in state.
#}
{% macro _safe_version(log_) %}
    {%- set base = log_.coverage.base -%}
    {%- set states = dbt_mview._read_states() -%}
    {%- set dependents = [] -%}
    {%- for id, state in states.items() -%}
        {%- set read = dbt_mview._read_of(state, base) -%}
        {%- if read -%} {%- do dependents.append(dict(read, mview_id=id)) -%} {%- endif -%}
    {%- endfor -%}
    {%- for id, node in dbt_mview._views_over(base).items() if id not in states -%}
        {%- set spec = dbt_mview._spec_of_relation(dbt_mview._relation_of(node)) -%}
        {%- set newest = dbt_mview._newest_data_commit(dbt_mview._target(spec)) -%}
        {#- As _check_row_missing: a table that is no view yet was built by something else. -#}
        {%- if newest and (newest.meta or {}).get("mview_id") == id -%}
            {%- do exceptions.raise_compiler_error(
                "dbt_mview: refresh info row missing for "
                ~ id
                ~ ", which reads "
                ~ base
                ~ ". Without it nobody knows which changes it still needs, and "
                ~ log_.mlog_id
                ~ " is not purged. Restore the row with `dbt run-operation mview_recover --args "
                ~ "'{view: "
                ~ id
                ~ "}'`."
            ) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set dependents = dependents | sort(attribute="version") -%}
    {%- set lowest = ([log_.coverage.captured] + dependents) | sort(attribute="version") | first -%}
    {{
        return(
            {
                "version": lowest.version,
                "commit_time": lowest.commit_time,
                "dependents": dependents,
            }
        )
    }}
{% endmacro %}


{#
What a view has read of a table. A view that was built without reading a version of it is always
refreshed in full, and needs no changes.

Args: state (row of the view), base (name). Returns: mapping version, commit_time; or none.
#}
{% macro _read_of(state, base) %}
    {%- set nothing = {"version": 0, "commit_time": 0} -%}
    {%- for source in state.sources or [] if source.relation == base -%}
        {%- if source.version is not none -%}
            {{ return({"version": source.version, "commit_time": source.commit_time}) }}
        {%- elif state.last_successful_refresh_read_time is none -%} {{ return(nothing) }}
        {%- endif -%}
    {%- endfor -%}
    {%- set building = state.intent if state.lock_owner else none -%}
    {#- A release that did not say what it was going to read may read anything. -#}
    {%- if building and base in (building.get("reads") or ([] if state.sources else [base])) -%}
        {{ return(nothing) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}
