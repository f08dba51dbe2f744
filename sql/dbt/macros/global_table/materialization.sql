{#-
  CREATE GLOBAL TABLE … AS the model. A later run alters what can be altered, so that streams go on.
  CREATE OR REPLACE then refreshes the table if it has this definition, and else replaces it. With
  --empty a global table that is there stays as it is, as its query would be the empty one.
-#}
{% materialization global_table, adapter='spark' %}
  {%- set relation = this.incorporate(type='view') -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- set is_there = eddyline.is_global_table(existing) -%}

  {{ run_hooks(pre_hooks) }}

  {%- if config.get('contract').enforced %}{% do get_assert_columns_equivalent(sql) %}{% endif -%}
  {%- if existing is not none and not is_there %}
    {% do eddyline.check_global_table(relation, sql) %}
    {% do eddyline.make_room(existing, 'a global table') %}
    {% set existing = none %}
  {%- endif -%}
  {%- if is_there and flags.EMPTY %}
    {% do eddyline.check_global_table(relation, sql) %}
    {% do store_raw_result('main', message='unchanged', code='unchanged', rows_affected=0) %}
    {% do apply_grants(relation, config.get('grants'), should_revoke(existing, True)) %}
    {{ run_hooks(post_hooks) }}
    {{ return({'relations': [relation]}) }}
  {%- endif -%}
  {%- set before = eddyline.global_table_state(relation) if is_there else none -%}
  {%- set altered = before -%}
  {%- if before and eddyline.ends_with_query(before.statement, sql) %}
    {%- call statement('alter_global_table') -%}
      {{ eddyline.alter_global_table_sql(relation) }}
    {%- endcall -%}
    {%- set altered = eddyline.global_table_state(relation) -%}
  {%- endif -%}
  {%- call statement('main', fetch_result=True) -%}
    {{ eddyline.create_global_table_sql(relation, sql) }}
  {%- endcall -%}

  {% do eddyline.report_global_table(relation, before, altered) %}
  {% do apply_grants(relation, config.get('grants'), should_revoke(existing, True)) %}
  {%- if config.persist_column_docs() and model.columns %}
    {% do exceptions.warn(
        relation.render() ~ ': a global table has no comments of columns, so persist_docs.columns is not applied.') %}
  {%- endif -%}

  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [relation]}) }}
{% endmaterialization %}
