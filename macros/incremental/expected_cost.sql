{#
AUTO: what both methods took before, as state keeps it (durations), and what they are expected to
take.
#}
{#
What both methods are expected to take, from what the view's last refreshes did, as state has it:
what COMPLETE took (see _complete_durations), and the median of the last three FAST ones that
followed about as many changes as there are now: from a quarter to five quarters, fewer where none
did. So a slow refresh of many changes says nothing against few, quick ones of few changes say
nothing for many once such were followed, and what was slow ages out.

A first build takes longer than later ones: others run beside it, and nothing is cached. Where it is
all that is known of COMPLETE, half of it is expected, and after n FAST refreshes an nth. So
COMPLETE is tried once when FAST has taken as long in all as the first build did: that cannot cost
more than was spent already (as in ski rental), and then there is a time to compare with.

Args: took (see _with_durations, or none), rows (int: changed rows of the sources), way (see
    _way_of: what reads whole tables says nothing of what reads changes). Returns: mapping fast,
    complete: seconds, none where nothing is known; guessed: by what a first build was divided for
    complete, or none.
#}
{% macro _expected_cost(took, rows, way="fast") %}
    {%- set known = dbt_mview._complete_durations(took) -%}
    {%- set tried = (took or {"last": []}).last | selectattr(0, "equalto", way) | list -%}
    {%- set fast, alike = [], [] -%}
    {#- How many rows another time lets in, nobody has counted. -#}
    {%- set uncounted = way == "dated" -%}
    {%- for method, changed, seconds in tried if uncounted or changed * 4 <= rows * 5 -%}
        {%- do fast.append(seconds) -%}
        {%- if uncounted or changed * 4 >= rows -%} {%- do alike.append(seconds) -%} {%- endif -%}
    {%- endfor -%}
    {%- set cost = {
        "fast": dbt_mview._median(alike[:3] or fast[:3]),
        "complete": known.complete,
        "guessed": none,
    } -%}
    {%- if known.complete is none and known.first is not none -%}
        {%- set part = [tried | length, 2] | max -%}
        {%- do cost.update({"complete": known.first / part, "guessed": part}) -%}
    {%- endif -%}
    {{ return(cost) }}
{% endmacro %}


{#
What COMPLETE took, and the first build: of the last refreshes, else as was known before them, so
that neither is forgotten after many FAST ones.

Args: took (see _with_durations, or none). Returns: mapping complete (the median of three), first,
    likely (complete, else first): seconds, or none.
#}
{% macro _complete_durations(took) %}
    {%- set seconds = {"complete": [], "first": []} -%}
    {%- for method, rows, one in (took or {"last": []}).last -%}
        {%- set method = "complete" if method == "difference" else method -%}
        {%- if method in seconds -%} {%- do seconds[method].append(one) -%} {%- endif -%}
    {%- endfor -%}
    {%- for method in ["complete", "first"] -%}
        {%- set median = dbt_mview._median(seconds[method][:3]) -%}
        {%- set known = (took or {}).get(method) if median is none else median -%}
        {%- do seconds.update({method: known}) -%}
    {%- endfor -%}
    {%- set complete, first = seconds.complete, seconds.first -%}
    {{ return(dict(seconds, likely=first if complete is none else complete)) }}
{% endmacro %}


{#
The last FAST refresh, whatever it followed and however it had its changes.

Args: took (see _with_durations, or none). Returns: mapping rows (changed), seconds, way (see
    _way_of); or none.
#}
{% macro _last_fast(took) %}
    {%- for method, rows, seconds in (took or {"last": []}).last -%}
        {%- if method in dbt_mview._fast_methods() -%}
            {{ return({"rows": rows, "seconds": seconds, "way": method}) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(none) }}
{% endmacro %}


{#
The spec for state, with the duration of this refresh before those of earlier ones: AUTO compares
them. A refresh that found no changed row says nothing about one that does.

Args: spec (stored: took as state has it), job (method, reason, changes, fast, started, ended,
    deferred, commit).
Returns: as spec.stored; took: mapping last (list, newest first, of method, changed rows and
    seconds of at most twenty refreshes), complete, first. Methods are first (the first build),
    fast, compared (FAST over compared versions), dated (FAST at another time), complete (rows: if
    versions were compared in vain) and difference (COMPLETE that published it; rows that differed).
#}
{% macro _with_durations(spec, job) %}
    {%- set rows = job.changes | map(attribute="rows") | list -%}
    {%- set difference = job.fast and job.method == "complete" -%}
    {%- set followed = job.fast and not difference -%}
    {%- set idle = followed and (job.fast.strategy == "nothing" or none in rows) -%}
    {%- set restored = job.reason and job.reason.code == "restored" -%}
    {%- if not spec.stored or job.deferred or idle or restored -%}
        {{ return(spec.stored) }}
    {%- endif -%}
    {%- set first = job.reason.code in ["first_build", "first_build_in_place"] -%}
    {%- set seconds = ((job.ended or dbt_mview._now_micros()) - job.started) / 1000000 -%}
    {%- set way = dbt_mview._way_of(job.changes, job.fast.dated if job.fast else []) -%}
    {%- set method = way if followed else ("difference" if difference else job.method) -%}
    {%- set counted = followed or way == "compared" -%}
    {%- set changed = rows | reject("none") | sum if counted else 0 -%}
    {%- if difference -%} {%- set changed = (job.commit or {"rows": 0}).rows -%} {%- endif -%}
    {%- set one = ["first" if first else method, changed, seconds | round(2)] -%}
    {%- set was = spec.stored.get("took") -%}
    {%- set last = [one] + (was or {"last": []}).last -%}
    {%- set known = dbt_mview._complete_durations(dict(was or {}, last=last)) -%}
    {%- set took = {"complete": known.complete, "first": known.first, "last": last[:20]} -%}
    {{ return(dict(spec.stored, took=took)) }}
{% endmacro %}


{#
How FAST had its changes. Args: changes (see _change_record), dated (see _delta_plan_record).
Returns: one of _fast_methods.
#}
{% macro _way_of(changes, dated=[]) %}
    {%- for change in changes if change.get("compared") -%} {{ return("compared") }}{%- endfor -%}
    {{ return("dated" if dated else "fast") }}
{% endmacro %}


{#
Why AUTO does not compare two versions of a source: that read both in whole, to find too many rows,
the last time; or COMPLETE takes less than reading both is expected to.

Args: spec (refresh, stored: took), change (compared). Returns: reason, or none.
#}
{% macro _why_not_compared(spec, change) %}
    {%- if spec.refresh != "auto" -%} {{ return(none) }}{%- endif -%}
    {%- set took = (spec.stored or {}).get("took") or {"last": []} -%}
    {%- set tried = [] -%}
    {%- for method, rows, seconds in took.last -%}
        {%- if method == "compared" or (method == "complete" and rows) -%}
            {%- do tried.append(method) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set complete = dbt_mview._expected_cost(took, 0).complete -%}
    {%- set both = namespace(rows=0) -%}
    {%- if complete is not none and not tried -%}
        {%- for version in [change.start, change.end] -%}
            {%- set both.rows = both.rows + dbt_mview._rows_at(change.relation, version) -%}
        {%- endfor -%}
    {%- endif -%}
    {#- A guess, a million rows in a second; once it was tried, durations decide. -#}
    {%- if "complete" in tried[:1] or both.rows / 1000000 > [complete or 0, 1] | max -%}
        {%- set name = dbt_mview._short_name(change.relation) -%}
        {{ return(dbt_mview._reason("TOO_MANY_CHANGES", name ~ " was overwritten")) }}
    {%- endif -%}
    {{ return(none) }}
{% endmacro %}


{# Args: numbers (list). Returns: the middle one, of two the greater; none where there is none. #}
{% macro _median(numbers) %}
    {{ return((numbers | sort)[numbers | length // 2] if numbers else none) }}
{% endmacro %}
