{# The view that a user names, and what is said of a name that is none. #}
{#
The view that a user means.

Args: view (model name or alias, schema.identifier, or mview_id). Returns: Relation.
Errors: none is named; no such view; more than one.
#}
{% macro _resolve(view) %}
    {%- set models = dbt_mview._views_of_project().values() | map(attribute="name") -%}
    {%- set example = models | first | default("orders_daily", true) -%}
    {%- do dbt_mview._check_given("view", view, "{view: " ~ example ~ "}") -%}
    {%- set wanted = view | string | lower -%}
    {%- set found, known = {}, [] -%}
    {%- for id, node in dbt_mview._views_of_project().items() -%}
        {%- set names = [node.name, dbt_mview._versioned_name(node), node.alias or ""] -%}
        {%- do known.extend(names + [dbt_mview._short_name(id)]) -%}
        {%- if wanted == id or wanted in names | map("lower") or id.endswith("." ~ wanted) -%}
            {%- do found.update({id: dbt_mview._relation_of(node)}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not found -%}
        {%- for id, state in dbt_mview._read_states().items() -%}
            {%- do known.extend([id.split(".")[2], dbt_mview._short_name(id)]) -%}
            {%- if id == wanted or id.endswith("." ~ wanted) -%}
                {%- do found.update({id: dbt_mview._relation_of_state(id, state)}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {%- if found | length != 1 -%}
        {%- set what = (
            "ambiguous: " ~ found.keys() | join(", ")
            if found
            else (dbt_mview._what_is_called(wanted) or "no materialized view")
        ) -%}
        {%- do dbt_mview._raise(
            view,
            "is " ~ what ~ " of this project or its state.",
            ("" if found else dbt_mview._did_you_mean(wanted, known))
            ~ "Name it by model or by schema.identifier; mview_info without a view lists all.",
        ) -%}
    {%- endif -%}
    {{ return(found.values() | first) }}
{% endmacro %}


{#
An argument that an operation cannot do without. dbt calls it without one as well, and an undefined
name reads as an empty text.

Args: argument (its name), value, example (of --args). Errors: it is missing or empty.
#}
{% macro _check_given(argument, value, example) %}
    {%- if value is undefined or value is none or value | string | trim == "" -%}
        {%- do dbt_mview._raise(
            "the argument " ~ argument,
            "is missing.",
            "Give it, as in --args '" ~ example ~ "'.",
        ) -%}
    {%- endif -%}
{% endmacro %}


{# Args: word, known (list of names). Returns: string, empty or a question and a blank. #}
{% macro _did_you_mean(word, known) %}
    {%- set near = dbt_mview._nearest(word, known) -%}
    {{ return("Did you mean " ~ near ~ "? " if near else "") }}
{% endmacro %}


{#
What else of the project has a name that should be a view's or a log's.

Args: name (lower case: of a model, schema.identifier, ...), wanted (view, log).
Returns: string, or none: nothing has it, or it is one.
#}
{% macro _what_is_called(name, wanted="view") %}
    {%- set kinds = {"view": "a materialized view", "log": "a materialized view log"} -%}
    {%- for node in (graph.nodes.values() | list) + (graph.get("sources", {}).values() | list) -%}
        {%- if node.resource_type in ["model", "seed", "snapshot", "source"] -%}
            {%- set id = dbt_mview._mview_id(dbt_mview._relation_of(node)) -%}
            {%- if name in [id, node.name | lower] or id.endswith("." ~ name) -%}
                {%- set kind = (node.get("config") or {}).get("materialized") -%}
                {%- set other = (
                    "a model with materialized '" ~ kind ~ "'"
                    if node.resource_type == "model"
                    else "a " ~ node.resource_type
                ) -%}
                {%- set is = dbt_mview._kind_of_model(node) -%}
                {%- if is == wanted -%} {{ return(none) }}{%- endif -%}
                {{ return(kinds.get(is, other) ~ ", no" ~ kinds[wanted][1:]) }}
            {%- endif -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{# Args: relation, state (its row, or none). Errors: the view has no stored definition. #}
{% macro _check_definition(relation, state) %}
    {%- if not state or not state.definition -%}
        {%- set id = dbt_mview._mview_id(relation) -%}
        {%- do dbt_mview._raise(
            id,
            "state has no definition of it.",
            "Build the view once with `dbt run --select "
            ~ dbt_mview._model_name(id)
            ~ "`.",
        ) -%}
    {%- endif -%}
{% endmacro %}
