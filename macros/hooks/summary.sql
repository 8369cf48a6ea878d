{# What a run did with its views, told in two lines at its end. #}
{#
After a run: how its views were refreshed, what that saved against COMPLETE, which took longest, and
what to change first: the remedy that spares most COMPLETE seconds. From what the run knows already;
no statement is sent. A run without views is told nothing.

Args: results (list of dbt's run results), outcomes (list, see _outcome), memory.
#}
{% macro _summary(results, outcomes, memory) %}
    {%- set by_job, ran = {}, [] -%}
    {%- for outcome in outcomes -%}
        {%- do by_job.update({outcome.job_id: outcome}) -%}
    {%- endfor -%}
    {%- for result in results -%}
        {%- set job = memory.jobs.get(result.node.unique_id) -%}
        {%- set outcome = by_job.get(job.id) if job else none -%}
        {%- if outcome or (job and dbt_mview._has_failed(result)) -%}
            {%- do ran.append(dbt_mview._told_of(job, outcome)) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not ran -%} {{ return(none) }}{%- endif -%}
    {%- do log("dbt_mview: " ~ dbt_mview._summary_text(ran), info=true) -%}
    {%- set first = dbt_mview._first_to_change(ran) -%}
    {%- if first -%} {%- do log("dbt_mview: first to change: " ~ first, info=true) -%} {%- endif -%}
{% endmacro %}


{#
Args: job, outcome (see _outcome; none: it failed and left none). Returns: mapping name, word (fast,
    skip, complete, deferred, failed), seconds (of work), saved (seconds against COMPLETE, none
    where that is not known), reason (why not FAST) and way_out (what to change, or none)
#}
{% macro _told_of(job, outcome) %}
    {%- set good = outcome and outcome.result == "success" -%}
    {%- set word = (outcome.type or "deferred") if good else "failed" -%}
    {%- set ended = outcome.ended if outcome else none -%}
    {%- set seconds = ((ended or dbt_mview._now_micros()) - job.started) / 1000000 -%}
    {%- set seconds = 0 if word == "skip" else seconds -%}
    {%- set took = ((job.state or {}).get("spec") or {}).get("took") -%}
    {%- set known = dbt_mview._complete_durations(took) -%}
    {%- set spared = word in ["fast", "skip"] and known.likely is not none -%}
    {%- set why = job.not_fast if word == "complete" else none -%}
    {{
        return(
            {
                "name": dbt_mview._model_name(job.spec.mview_id),
                "word": word,
                "seconds": seconds,
                "saved": known.likely - seconds if spared else none,
                "reason": dbt_mview._reason_text(why) if why else none,
                "way_out": dbt_mview._what_to_change([why]),
            }
        )
    }}
{% endmacro %}


{# Args: ran (list, see _told_of). Returns: string. #}
{% macro _summary_text(ran) %}
    {%- set counts = [] -%}
    {%- for word in ["fast", "skip", "complete", "deferred", "failed"] -%}
        {%- set count = ran | selectattr("word", "equalto", word) | list | length -%}
        {%- set shown = word if word == "failed" else word | upper -%}
        {%- if count -%} {%- do counts.append(count ~ " " ~ shown) -%} {%- endif -%}
    {%- endfor -%}
    {%- set parts = [
        (ran | length) ~ (" view: " if ran | length == 1 else " views: ") ~ counts
        | join(", ")
    ] -%}
    {%- set worked = ran | rejectattr("word", "equalto", "skip") | list -%}
    {%- set work = dbt_mview._rounded(worked | sum(attribute="seconds")) -%}
    {%- set saved = ran | rejectattr("saved", "none") | sum(attribute="saved") -%}
    {%- set more = [] -%}
    {%- if worked -%} {%- do more.append(work ~ " s of work") -%} {%- endif -%}
    {%- if saved >= 1 -%}
        {%- do more.append("~" ~ dbt_mview._rounded(saved) ~ " s saved against COMPLETE") -%}
    {%- endif -%}
    {%- if more -%} {%- do parts.append(more | join(", ")) -%} {%- endif -%}
    {%- if worked | length > 1 and worked | map(attribute="seconds") | max >= 1 -%}
        {%- set slowest = (worked | sort(attribute="seconds", reverse=true))[0] -%}
        {%- set its = dbt_mview._rounded(slowest.seconds) -%}
        {%- do parts.append("slowest: " ~ slowest.name ~ " " ~ its ~ " s") -%}
    {%- endif -%}
    {{ return(parts | join("; ")) }}
{% endmacro %}


{# Args: seconds. Returns: int, or a number with one digit below ten. #}
{% macro _rounded(seconds) %}
    {{ return(seconds | round(1) if seconds < 10 else seconds | round | int) }}
{% endmacro %}


{#
Of the views that were COMPLETE for a reason that somebody can do something about, the one whose way
out they could share that took longest in all.

Args: ran (list, see _told_of). Returns: string, or none.
#}
{% macro _first_to_change(ran) %}
    {%- set ways = {} -%}
    {%- for view in ran | selectattr("way_out") | sort(attribute="seconds", reverse=true) -%}
        {%- do ways.setdefault(view.way_out, []).append(view) -%}
    {%- endfor -%}
    {%- set best = namespace(way=none, seconds=-1) -%}
    {%- for way, views in ways.items() -%}
        {%- set seconds = views | sum(attribute="seconds") -%}
        {%- if seconds > best.seconds -%}
            {%- set best.way, best.seconds = way, seconds -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if best.way is none -%} {{ return(none) }}{%- endif -%}
    {%- set helped = ways[best.way] -%}
    {%- set names = helped[:3] | map(attribute="name") | join(", ") -%}
    {%- set rest = " and " ~ (helped | length - 3) ~ " more" if helped | length > 3 else "" -%}
    {{ return(names ~ rest ~ " (" ~ helped[0].reason ~ "): " ~ best.way) }}
{% endmacro %}
