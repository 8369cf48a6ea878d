{#
Refuses to begin state where it could not be kept: a Spark without Delta's extension, a store that
loses commits.
#}
{#
Refuses to begin state in a Spark whose settings lack Delta's extension: Delta then creates tables
that nobody can read. The engine itself reports other missing settings (docs/operations.md). Spark
substitutes a setting's value for its name, and nothing if it is not set.

Errors: spark.sql.extensions is not set.
#}
{% macro _refuse_bare_engine() %}
    {%- if target.type == "databricks" -%} {{ return(none) }}{%- endif -%}
    {%- set value = dbt_mview._read(
        "extensions", "select '${spark.sql.extensions}' as extensions"
    ).rows[0][0] -%}
    {%- if not value -%}
        {%- do dbt_mview._raise(
            "this engine",
            "spark.sql.extensions is not set, and without Delta's extension nobody can read a"
            ~ " table that Delta creates.",
            "Set it to io.delta.sql.DeltaSparkSessionExtension before Spark starts; README.md has"
            ~ " all settings.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{#
Refuses to begin state where commits of two writers can overwrite each other: Delta asks S3 for no
exclusion, and keeps out only writers of its own JVM. Locks are commits, so both would hold one.
Elsewhere the file system excludes, and Databricks has a commit service of its own. docs/deploy.md
has what two drivers on one bucket did.

Args: schema (string, of state).
Errors: state lies on S3, without a log store that excludes, and nobody said that there is one
    writer only.
#}
{% macro _refuse_lost_commits(schema) %}
    {%- if target.type == "databricks" or dbt_mview._is_single_writer() -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set rows = dbt_mview._read("place", "describe schema " ~ dbt_mview._quote(schema)).rows -%}
    {%- for row in rows if row[0] == "Location" -%}
        {%- set scheme = (row[1] or "").split(":")[0] | lower -%}
        {%- if scheme in ["s3", "s3a", "s3n"] and not dbt_mview._has_log_store(scheme) -%}
            {%- do dbt_mview._raise(
                schema,
                "state would lie in "
                ~ row[1]
                ~ ", and Delta's own log store for S3 loses commits and locks where a second driver"
                ~ " writes.",
                "Configure spark.delta.logStore."
                ~ scheme
                ~ ".impl to one that excludes other writers (contrib/s3-log-store has one), keep"
                ~ " state elsewhere, or confirm that one driver alone ever writes with the var"
                ~ " dbt_mview:single_writer: true. See docs/deploy.md.",
            ) -%}
        {%- endif -%}
    {%- endfor -%}
{% endmacro %}


{#
Whether the session names a log store for S3 other than those that only exclude writers of their own
JVM, or nobody. Spark substitutes a setting's value for its name.

Args: scheme (s3, s3a or s3n). Returns: bool.
#}
{% macro _has_log_store(scheme) %}
    {%- set by_scheme = "${spark.delta.logStore." ~ scheme ~ ".impl}" -%}
    {%- set by_class = "${spark.delta.logStore.class}" -%}
    {%- set row = dbt_mview._read(
        "log_store",
        "select '" ~ by_scheme ~ "' as by_scheme, '" ~ by_class ~ "' as by_class",
    ).rows[0] -%}
    {%- set without = ["S3SingleDriverLogStore", "HDFSLogStore", "GCSLogStore", "LocalLogStore"] -%}
    {%- for name in row if name and not name.startswith("${") -%}
        {{ return(name.split(".")[-1] not in without) }}
    {%- endfor -%}
    {{ return(false) }}
{% endmacro %}


{# Returns: bool, whether the project says that one driver alone writes. Errors: no answer. #}
{% macro _is_single_writer() %}
    {%- set value = var("dbt_mview:single_writer", false) | string | lower -%}
    {%- if value not in ["true", "false"] -%}
        {%- do dbt_mview._raise(
            "the var dbt_mview:single_writer",
            "'" ~ value ~ "' is neither true nor false.",
            "Say true if one driver alone ever writes to the state and its views.",
        ) -%}
    {%- endif -%}
    {{ return(value == "true") }}
{% endmacro %}
