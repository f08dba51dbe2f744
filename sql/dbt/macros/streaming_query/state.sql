{#- Returns what the server says of a streaming query: `status` and `statement`; none without one. -#}
{% macro streaming_query_state(name) -%}
  {%- for row in run_query('show streaming queries') if row['name'] | lower == name | lower -%}
    {%- set shown = run_query('show create streaming query ' ~ adapter.quote(name)) -%}
    {{ return({'status': row['status'], 'statement': shown.rows[0][0]}) }}
  {%- endfor -%}
  {{ return(none) }}
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
        'The streaming query ' ~ name ~ ' is stopped. START STREAMING QUERY ' ~ name ~ ' starts it.') -%}
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
