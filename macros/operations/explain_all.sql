{#
Which views of this project can be FAST, and what keeps the others from it. Their queries alone say
so: before the first build and without pending changes too.
#}
{#
Prints all views: COMPLETE first, those that take longest before others; then what would help.

Args: format (table|json, one line `explained: {...}`, see _explained_view).
#}
{% macro _explain_all(format) %}
    {%- set found = dbt_mview._explained_views(dbt_mview._read_states()) -%}
    {%- if format == "json" -%}
        {%- do print("explained: " ~ tojson({"views": found})) -%} {{ return("") }}
    {%- endif -%}
    {%- set lines = [] -%}
    {%- for view in dbt_mview._worst_first(found) -%}
        {%- set how = view.strategy or "" -%}
        {%- set how = "nothing to do" if how == "nothing" else how -%}
        {%- if how and view["keys"] -%}
            {%- set how = how ~ " by " ~ view["keys"][:3] | join(", ") -%}
        {%- endif -%}
        {%- if view.fast == "some" -%}
            {%- set how = how ~ " for changes of " ~ view.follows | join(", ") -%}
        {%- endif -%}
        {%- if view.only_while -%}
            {%- set how = how ~ ", while " ~ view.only_while -%}
        {%- endif -%}
        {%- if view.fast == "some" -%} {%- set how = how ~ "; else " -%} {%- endif -%}
        {%- do lines.append(
            [view.name, view.fast, how ~ (view.reason or "")]
            + dbt_mview._as_seconds([view.complete, view.last_fast, view.saves])
        ) -%}
    {%- endfor -%}
    {%- set head = ["view", "FAST", "how, or why not", "COMPLETE", "FAST took", "saves"] -%}
    {%- do dbt_mview._print_table(head, lines) -%}
    {%- do dbt_mview._print_ways_out(found) -%}
{% endmacro %}


{# Args: states (see _read_states). Returns: list, see _explained_view, by name. #}
{% macro _explained_views(states) %}
    {%- set found = [] -%}
    {%- for id, node in dbt_mview._views_of_project() | dictsort -%}
        {#- What is asked for the changes of each table alone is mostly the same. -#}
        {%- do dbt_mview._memory().update({"explained": {}}) -%}
        {%- do found.append(dbt_mview._explained_view(id, node, states.get(id))) -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# Args: views (list, see _explained_view). Returns: the same, by what there is to do. #}
{% macro _worst_first(views) %}
    {%- set sorted = [] -%}
    {%- for fast in ["no", "some", "unknown", "yes"] -%}
        {%- set some = views | selectattr("fast", "equalto", fast) | list -%}
        {%- set timed = some | rejectattr("complete", "none") -%}
        {%- do sorted.extend(timed | sort(attribute="complete", reverse=true)) -%}
        {%- do sorted.extend(some | selectattr("complete", "none")) -%}
    {%- endfor -%}
    {{ return(sorted) }}
{% endmacro %}


{# Args: numbers (list of seconds, none where not known). Returns: list of strings. #}
{% macro _as_seconds(numbers) %}
    {%- set found = [] -%}
    {%- for number in numbers -%}
        {%- do found.append("-" if number is none else (number | round(1)) ~ " s") -%}
    {%- endfor -%}
    {{ return(found) }}
{% endmacro %}


{# How many can be FAST, and each way out with the views that it helps. Args: views. #}
{% macro _print_ways_out(views) %}
    {%- set ways = {} -%}
    {%- for view in dbt_mview._worst_first(views) if view.way_out -%}
        {%- do ways.setdefault(view.way_out, []).append(view) -%}
    {%- endfor -%}
    {%- set fast = views | selectattr("fast", "equalto", "yes") | list | length -%}
    {%- set some = views | selectattr("fast", "equalto", "some") | list | length -%}
    {%- do print("") -%}
    {%- do print(
        fast ~ " of " ~ views
        | length
        ~ " views can be FAST, "
        ~ some
        ~ " more after changes of some of their sources."
        ~ (" What would help the others:" if ways else "")
    ) -%}
    {%- for way, helped in ways.items() -%}
        {%- do print("  " ~ helped | map(attribute="name") | join(", ") ~ ": " ~ way) -%}
    {%- endfor -%}
{% endmacro %}


{#
One view, by its query in state, or by its model's code where it was never built.

Args: id (mview_id), node (of its model), state (row, or none). Returns: mapping
    id, name (schema.identifier), model (unique_id), refresh (as configured), built (bool)
    fast       yes; some: after changes of these of its sources, see follows; no; unknown: its query
               cannot be looked at yet
    strategy, keys  how, or none and []; see _delta_plan_record
    only_while  what must hold for that besides (`the value of its subquery stays`), or none
    follows    names of the sources whose changes it follows
    reads      names of all
    code, reason, way_out  why not, or why not the others, and what would help; or none
    complete, last_fast, saves  seconds of the last COMPLETE and FAST, none where not known
#}
{% macro _explained_view(id, node, state) %}
    {%- set built = state is not none and state.definition is not none -%}
    {%- set relation = dbt_mview._relation_of(node) -%}
    {%- if built -%}
        {%- set spec = dbt_mview._spec_from_state(relation, state) -%}
        {%- set query = {"definition": state.definition, "sql": state.definition, "why": none} -%}
    {%- else -%}
        {%- set spec = dbt_mview._spec_of_node(relation, node) -%}
        {%- set query = dbt_mview._query_of_model(node) -%}
        {%- do spec.update({"definition": query.definition}) -%}
    {%- endif -%}
    {%- set refresh = dbt_mview._config("refresh", "auto", node.config) -%}
    {%- set refresh = dbt_mview._refresh_method(spec, refresh) -%}
    {%- set found = dbt_mview._what_it_follows(spec, query) -%}
    {%- set reason, way_out = found.reason, none -%}
    {%- if reason -%} {%- set way_out = dbt_mview._way_out([reason]) -%} {%- endif -%}
    {%- set fast = "yes" if not reason else ("some" if found.follows else "no") -%}
    {%- if reason and reason.code == "not_known_yet" -%} {%- set fast, way_out = "unknown", none -%}
    {%- elif refresh == "complete" -%}
        {%- set way_out = "Set refresh to auto." if fast != "no" else way_out -%}
        {%- set reason, fast = dbt_mview._reason("complete_configured"), "no" -%}
    {%- endif -%}
    {%- set took = (state.spec or {}).get("took") if state else none -%}
    {%- set complete = dbt_mview._complete_durations(took).likely -%}
    {%- set last_fast = (dbt_mview._last_fast(took) or {}).get("seconds") -%}
    {%- set saves = none if none in [complete, last_fast] else complete - last_fast -%}
    {{
        return(
            {
                "id": id,
                "name": dbt_mview._short_name(id),
                "model": node.unique_id,
                "refresh": refresh,
                "built": built,
                "fast": fast,
                "strategy": found.strategy if fast in ["yes", "some"] else none,
                "keys": found["keys"] if fast in ["yes", "some"] else [],
                "only_while": found.only_while if fast in ["yes", "some"] else none,
                "follows": found.follows,
                "reads": found.reads,
                "code": reason.code if reason else none,
                "reason": dbt_mview._reason_text(reason) if reason else none,
                "way_out": way_out,
                "complete": complete,
                "last_fast": last_fast,
                "saves": saves,
            }
        )
    }}
{% endmacro %}


{#
What the configs of a model say that matters to how it can follow changes.

Args: relation, node. Returns: see _spec_record. Errors: an unknown `refresh`.
#}
{% macro _spec_of_node(relation, node) %}
    {%- set spec = dbt_mview._spec_of_relation(relation) -%}
    {%- set by = dbt_mview._config("partition_by", none, node.config) -%}
    {%- do spec.update(
        {
            "unique_key": dbt_mview._columns_of(node.config.get("unique_key")),
            "audit": dbt_mview._as_list(dbt_mview._config("audit", none, node.config)),
            "refresh_group": dbt_mview._group_of(node),
            "layout": {"partition_by": dbt_mview._columns_of(by), "constraints": {}},
        }
    ) -%}
    {{ return(spec) }}
{% endmacro %}
