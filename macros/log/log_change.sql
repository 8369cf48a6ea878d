{#
What somebody else did to the rows of a log since it began. Captures say in their commit that they
are ours, batches of a purge in their condition; columns are added by a capture, and no row with
them.

Args: commits (see _delta_history). Returns: string or none.
#}
{% macro _log_change(commits) %}
    {%- for commit in commits -%}
        {%- set ours = commit.meta or commit.operation == "ADD COLUMNS" -%}
        {%- if not ours and commit.operation == "DELETE" -%}
            {%- set ours = dbt_mview._is_batch(commit.parameters.get("predicate") or "") -%}
        {%- endif -%}
        {%- if not ours and dbt_mview._is_data_commit(commit) -%}
            {{ return(commit.operation ~ " by somebody else in version " ~ commit.version) }}
        {%- endif -%}
        {#- What was there before the log began is none of its rows. -#}
        {%- if commit.operation.startswith(("CREATE", "REPLACE")) -%}
            {{ return(none) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}
