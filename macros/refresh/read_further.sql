{#
The sources that were already read further than they are pinned now, by the times of the commits:
the versions of a table that was dropped and created begin anew. Times of one second may be told
out of order, see _same_commit.

Args: job (state, sources). Returns: list of mappings relation, was, pin (mappings version,
    commit_time).
#}
{% macro _read_further(job) %}
    {%- set now = {} -%}
    {%- for source in job.sources -%}
        {%- do now.update({source.relation: source}) -%}
    {%- endfor -%}
    {%- set found = [] -%}
    {%- for was in (job.state.sources if job.state else none) or [] -%}
        {%- set pin = now.get(was.relation) or {} -%}
        {%- if pin.get("commit_time") and was.commit_time -%}
            {%- set blur = dbt_mview._blur() if was.version <= pin.version else 0 -%}
            {%- if was.commit_time > pin.commit_time + blur -%}
                {%- do found.append({"relation": was.relation, "was": was, "pin": pin}) -%}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}
