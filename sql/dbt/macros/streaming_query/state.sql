{#- Returns what the server says of a streaming query: `status` and `statement`; none without one. -#}
{% macro streaming_query_state(name) -%}
  {%- for row in run_query('show streaming queries') if row['name'] | lower == name | lower -%}
    {%- set shown = run_query('show create streaming query ' ~ adapter.quote(name)) -%}
    {{ return({'status': row['status'], 'statement': shown.rows[0][0]}) }}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro %}


{#- Refuses a query that writes into another table: two models would have one name of a query. -#}
{% macro refuse_query_of_another_table(name, before, relation) -%}
  {%- set target = eddyline.definition_of(before.statement).get('target') if before else none -%}
  {%- if target and ' into ' ~ relation.render() ~ ' ' not in ' ' ~ target ~ ' ' %}
    {% do exceptions.raise_compiler_error(
        'The streaming query ' ~ name ~ ' writes into another table than ' ~ relation.render() ~ ': ' ~ target
        ~ '. Give this model another query_name, or drop that query if no model has it.') %}
  {%- endif -%}
{%- endmacro %}


{#-
  Refuses a table that has rows and no query: a new query would write all rows of its sources again, unless
  there is a checkpoint from which it goes on. Where that is missing, the error is Spark's PATH_NOT_FOUND.
-#}
{% macro refuse_table_of_no_query(name, relation) -%}
  {%- set has_rows = eddyline.has_rows(relation) -%}
  {%- if has_rows and config.get('checkpoint') %}
    {% do run_query('select 1 from text.' ~ adapter.quote(config.get('checkpoint') ~ '/metadata') ~ ' limit 1') %}
  {%- elif has_rows %}
    {% do exceptions.raise_compiler_error(
        relation.render() ~ ' has rows, but there is no streaming query ' ~ name ~ ', and a new one would write all '
        ~ 'rows of its sources once more. Run dbt with --full-refresh to begin again with an empty table, or set '
        ~ '`checkpoint` to the one from which the query is to go on.') %}
  {%- endif -%}
{%- endmacro %}


{#- Refuses the rows of an external table, whose files DROP TABLE leaves for the next one. -#}
{% macro refuse_rows_of_location(relation) -%}
  {%- if eddyline.has_rows(relation) %}
    {% do exceptions.raise_compiler_error(
        relation.render() ~ ' is an external table, whose rows stay when it is dropped, and the query would write all '
        ~ 'rows of its sources once more. Delete the folder of the table, then run dbt with --full-refresh.') %}
  {%- endif -%}
{%- endmacro %}


{#- Refuses to make a table beside a query that goes on from its checkpoint, without the rows before it. -#}
{% macro refuse_query_of_no_table(name) -%}
  {% do exceptions.raise_compiler_error(
      'The table of the streaming query ' ~ name ~ ' is gone. Run dbt without --empty, which begins again, or drop the '
      ~ 'query with PURGE.') %}
{%- endmacro %}


{% macro has_rows(relation) -%}
  {{ return(run_query('select 1 from ' ~ relation ~ ' limit 1').rows | length > 0) }}
{%- endmacro %}


{#-
  Starts a query that has failed or has read all that was available, and leaves any other alone.

  Returns what was done, for the log of the run.
-#}
{% macro continue_streaming_query(name, before) -%}
  {%- if eddyline.is_available_now() and before.status == 'RUNNING' -%}
    {%- do run_query('await streaming query ' ~ adapter.quote(name)) -%}
  {%- endif -%}
  {%- if eddyline.is_available_now() or before.status == 'FAILED' -%}
    {%- do run_query('start streaming query ' ~ adapter.quote(name)) -%}
    {{ return('started again' if before.status == 'FAILED' else 'continued') }}
  {%- endif -%}
  {%- if before.status == 'STOPPED' -%}
    {%- do exceptions.warn(
        'The streaming query ' ~ name ~ ' is stopped. START STREAMING QUERY ' ~ adapter.quote(name) ~ ' starts it.') -%}
  {%- endif -%}
  {{ return('unchanged') }}
{%- endmacro %}


{#- Waits for the end of an AVAILABLE NOW query, and stores what has become of a query as the result. -#}
{% macro report_streaming_query(name, done) -%}
  {%- set read = none -%}
  {%- set message = done -%}
  {%- if eddyline.is_available_now() -%}
    {%- do run_query('await streaming query ' ~ adapter.quote(name)) -%}
    {%- set batches = run_query('show streaming query progress ' ~ adapter.quote(name)) -%}
    {%- set read = batches.columns['input_rows'].values() | sum | int -%}
    {%- set message = done ~ ', read ' ~ read ~ ' rows' -%}
  {%- endif -%}
  {%- do store_raw_result('main', message=message, code=done, rows_affected=read) -%}
{%- endmacro %}
