{#
FAST publish: takes rows away and puts rows in, in one commit. MERGE takes no options, so what
this commit says of itself stands in its condition, from where Delta writes it to the history.
Groups that were added up are put in the place of what they were: an update is quicker than a row
that goes and one that comes, and the view's own change feed has it as what it is.

A text that comes from a CHAR(n) must not be named by MERGE: Delta 4.4 does not find it
(DELTA_MERGE_RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT), so that it is cast before.

Args: spec, job. Returns: SQL text.
#}
{% macro _merge_changes_sql(spec, job) -%}
    {%- set names = job.columns | map(attribute="name") | list -%}
    {%- set nulls = [] -%}
    {%- for name in names -%}{%- do nulls.append("null") -%}{%- endfor -%}
merge into {{ spec.name }} as v
using (
select {{ dbt_mview._select_list(dbt_mview._without_lengths(job.columns)) }}, _mview_op
from (
{{ dbt_mview._merge_source_sql(spec, job) }}
union all
select {{ nulls | join(", ") }}, null
where {{ dbt_mview._guard_sql(spec, job) }}
)
) as s
on s._mview_op <> 'insert'
    and {{ dbt_mview._same_keys("v", "s", job.fast["keys"]) }}
    and {{ dbt_mview._bounds_sql("v", job.bounds) }}
{%- if job.fast.strategy == "aggregate" %}
when matched and s._mview_op = 'put' then update set {{ dbt_mview._assigned("s", names) }}
{%- endif %}
when matched then delete
when not matched and s._mview_op not in (
    'delete',
    '{{ tojson(dbt_mview._publish_meta(spec, job)).encode("utf-8").hex() }}'
) then insert ({{ dbt_mview._quote_all(names) }})
    values ({{ dbt_mview._prefixed("s", names) }})
{%- endmacro %}
