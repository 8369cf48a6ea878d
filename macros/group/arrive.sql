{#
A member of a refresh group has come as far as it can alone: the last one to do so publishes all.

Args: spec, job. Errors: as _publish_group.
#}
{% macro _arrive(spec, job) %}
    {%- if not spec.refresh_group -%} {{ return(none) }}{%- endif -%}
    {%- set group = dbt_mview._group(spec.refresh_group) -%}
    {%- do group.arrived.append(job) -%}
    {%- set all_here = group.arrived | length == group.members | length -%}
    {#- Two that arrive at the same moment both see all; setdefault lets one of them win. -#}
    {%- if all_here and group.setdefault("leader", job.id) == job.id -%}
        {%- set jobs = group.arrived | selectattr("waits") | list -%}
        {#- One alone is not decided: where it fails, the node that fails is whose turn it is. -#}
        {%- if jobs | length == 1 -%} {%- do group.update({"alone": jobs[0]}) -%} {%- endif -%}
        {%- do dbt_mview._publish_group(jobs) -%}
        {%- do group.update({"published": true, "alone": none}) -%}
    {%- endif -%}
{% endmacro %}


{#
Publishes staged views one after the other, after one commit has decided that all of them will be.
A view alone needs no decision: its publish is one.

Args: jobs (list). Errors: a lock was lost before the decision: nothing is published.
#}
{% macro _publish_group(jobs) %}
    {%- if jobs | length > 1 -%} {%- do dbt_mview._decide(jobs) -%} {%- endif -%}
    {%- for job in jobs -%} {%- do dbt_mview._finish(job.spec, job) -%} {%- endfor -%}
{% endmacro %}
