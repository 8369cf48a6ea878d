{#
Writes the row of a built view anew, from the newest refresh in the view's own history.

Args: spec, dry_run. Errors: the history holds no refresh.
#}
{% macro _restore_row(spec, dry_run) %}
    {%- set commit = dbt_mview._newest_data_commit(dbt_mview._target(spec)) -%}
    {%- if not commit or not commit.meta or commit.meta.get("mview_id") != spec.mview_id -%}
        {%- do dbt_mview._raise(
            spec.mview_id,
            "state has no row of it, and no table of it to restore one from.",
            "Build it with `dbt run --select "
            ~ dbt_mview._model_name(spec.mview_id)
            ~ "`.",
        ) -%}
    {%- endif -%}
    {%- do dbt_mview._run(
        "recover",
        dbt_mview._restore_row_sql(spec, commit),
        {"id": invocation_id, "dry_run": dry_run},
    ) -%}
    {%- if not dry_run -%}
        {%- do print(spec.mview_id ~ ": state restored from version " ~ commit.version) -%}
    {%- endif -%}
{% endmacro %}
