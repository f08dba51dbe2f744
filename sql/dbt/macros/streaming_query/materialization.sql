{#-
  CREATE STREAMING QUERY … AS INSERT INTO the model's own table, of which the model is the query.

  A later run changes nothing if the definition is the same, and is an error if it is another one,
  unless on_change is 'replace'. With --full-refresh the query begins again with an empty table.
-#}
{% materialization streaming_query, adapter='spark' %}
  {%- set relation = this.incorporate(type='table') -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- set name = eddyline.streaming_query_name() -%}
  {%- set wanted = eddyline.create_streaming_query_sql(relation, name, sql) -%}

  {{ run_hooks(pre_hooks) }}

  {%- set is_new = existing is none or existing.is_view or should_full_refresh() -%}
  {#- before anything is dropped, since this checks the query -#}
  {%- set columns = eddyline.columns_of_stream(relation, sql) if is_new or config.get('contract').enforced else none -%}
  {%- set before = eddyline.streaming_query_state(name) -%}
  {%- if should_full_refresh() %}
    {% do run_query('drop streaming query if exists ' ~ adapter.quote(name) ~ ' purge') %}
    {% set before = none %}
  {%- endif -%}
  {%- set changes = eddyline.changes_of_definition(before.statement, wanted) if before else [] -%}
  {%- if changes and config.get('on_change') != 'replace' %}
    {% do eddyline.raise_changed(name, changes) %}
  {%- endif -%}

  {%- if is_new %}
    {% do drop_relation_if_exists(existing) %}
    {%- call statement('create_target') -%}
      {{ eddyline.create_target_sql(relation, columns) }}
    {%- endcall -%}
  {%- endif -%}

  {%- if before is none or changes %}
    {%- call statement('main', fetch_result=True) -%}{{ wanted }}{%- endcall -%}
    {% set done = 'replaced' if changes else 'created' %}
  {%- else %}
    {% set done = eddyline.continue_streaming_query(name, before) %}
  {%- endif -%}
  {% do eddyline.report_streaming_query(name, done) %}

  {% do apply_grants(relation, config.get('grants'), should_revoke(existing, should_full_refresh())) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [relation]}) }}
{% endmaterialization %}
