{#-
  CREATE STREAMING QUERY … AS INSERT INTO the model's own table, of which the model is the query.

  A later run changes nothing if the definition is the same, and is an error if it is another one,
  unless on_change is 'replace'. With --full-refresh, or without its table, the query begins again with
  an empty table; so does one of another definition that has committed nothing, since that loses
  nothing. With --empty the query is checked and its table is created, but the query is left as it is.
-#}
{% materialization streaming_query, adapter='spark' %}
  {%- set relation = this.incorporate(type='table') -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- set name = eddyline.streaming_query_name() -%}

  {{ run_hooks(pre_hooks) }}

  {%- set is_missing = existing is none or existing.is_view -%}
  {%- if existing is none %}{% do eddyline.refuse_unlisted_table(relation) %}{% endif -%}
  {%- set queries = run_query('show streaming queries') -%}
  {%- set before = eddyline.streaming_query_state(name, queries) -%}
  {% do eddyline.refuse_query_of_another_table(name, before, relation) %}
  {%- set continues = not should_full_refresh() and not flags.EMPTY -%}
  {%- if continues %}{% do eddyline.refuse_broken_query(name, before) %}{% endif -%}
  {%- set loses_nothing = continues and before and not is_missing
      and eddyline.changes_of_definition(
        eddyline.statement_of_query(name), eddyline.create_streaming_query_sql(relation, name, sql, false))
      and not eddyline.has_rows(existing) and not eddyline.has_committed(name) -%}
  {%- set begins_again = not flags.EMPTY and (should_full_refresh() or loses_nothing) -%}
  {%- set is_new = is_missing or begins_again -%}
  {#- before anything is dropped, since this checks the query -#}
  {%- set is_checked = is_new or flags.EMPTY or config.get('contract').enforced -%}
  {%- set columns = eddyline.columns_of_stream(relation, sql) if is_checked else none -%}
  {%- if is_new or before is none %}
    {% do eddyline.refuse_table_of_another_query(name, queries, relation) %}
  {%- endif -%}
  {%- if begins_again and existing is not none and 'Type: EXTERNAL' in (existing.information or '') %}
    {% do eddyline.refuse_rows_of_location(existing) %}
  {%- endif -%}
  {#- only rows show that a checkpoint is the table's own: an empty table may be what a killed run has left -#}
  {%- set has_rows = before is none and not is_new and eddyline.has_rows(existing) -%}
  {%- set resets = is_new or (before is none and not has_rows) -%}
  {%- set wanted = eddyline.create_streaming_query_sql(relation, name, sql, resets) -%}
  {%- set changes = [] -%}
  {%- if is_new %}
    {% do eddyline.refuse_query_of_no_table(name) if before and flags.EMPTY %}
    {#- in this order a kill leaves a query without its table, and the next run begins again -#}
    {%- if before and begins_again and not before.target %}
      {% do eddyline.drop_broken_query(name, before) %}
      {% set before = none %}
    {%- elif before %}
      {% do run_query('stop streaming query ' ~ adapter.quote(name)) %}
    {%- endif %}
    {% do drop_relation_if_exists(existing) %}
    {#- the checkpoint of a table that is gone would leave out the rows that it had -#}
    {% do run_query('drop streaming query ' ~ adapter.quote(name) ~ ' purge') if before %}
    {% set before = none %}
    {%- call statement('create_target') -%}
      {{ eddyline.create_target_sql(relation, columns) }}
    {%- endcall -%}
    {% do eddyline.refuse_rows_of_location(relation) if config.get('location_root') %}
  {%- elif not flags.EMPTY %}
    {% do eddyline.refuse_table_of_no_query(name, existing) if has_rows %}
    {% set changes = eddyline.changes_of_definition(eddyline.statement_of_query(name), wanted) if before else [] %}
    {% do eddyline.raise_changed(name, changes) if changes and config.get('on_change') != 'replace' %}
  {%- endif -%}

  {%- if flags.EMPTY %}
    {% do store_raw_result('main', message='not started', code='not started', rows_affected=0) %}
  {%- elif before is none or changes %}
    {%- call statement('main', fetch_result=True) -%}{{ wanted }}{%- endcall -%}
    {% set done = 'replaced' if changes else 'created' %}
  {%- else %}
    {% set done = eddyline.continue_streaming_query(name, before) %}
  {%- endif -%}
  {%- if not flags.EMPTY %}{% do eddyline.report_streaming_query(name, done) %}{% endif %}

  {% do apply_grants(relation, config.get('grants'), should_revoke(existing, begins_again)) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [relation]}) }}
{% endmaterialization %}
