{#- The clauses that ALTER can change, each with its default, so that ALTER also takes one back. -#}
{% macro global_table_clauses() -%}
  on duplicate key {{ config.get('on_duplicate') or 'fail' }}
  refresh {{ config.get('refresh') or 'every 10 seconds' }}
  {%- if config.get('max_staleness') %}
  max staleness {{ config.get('max_staleness') }} on stale {{ config.get('on_stale') or 'fail' }}
  {%- endif %}
  max rows {{ config.get('max_rows') or 100000000 }}
  max bytes {{ config.get('max_bytes') or '2 GiB' }}
  {%- if config.get('tblproperties') %}
  tblproperties {{ eddyline.property_list(config.get('tblproperties')) }}
  {%- endif %}
  {%- if eddyline.comment() is not none %}
  comment {{ eddyline.literal(eddyline.comment()) }}
  {%- endif %}
{%- endmacro %}


{% macro alter_global_table_sql(relation) -%}
  alter global table {{ relation }} set
  {{ eddyline.global_table_clauses() }}
{%- endmacro %}


{% macro create_global_table_sql(relation, sql) -%}
  create or replace global table {{ relation }}
  {%- if config.get('primary_key') %}
  primary key ({{ eddyline.column_list(config.get('primary_key')) }})
  {%- endif %}
  {{ eddyline.global_table_clauses() }}
as
{{ sql }}
{%- endmacro %}


{#-
  Creates the global table under another name and drops it, so that a query or a key which is refused
  fails before the relation that has the name is dropped.
-#}
{% macro check_global_table(relation, sql) -%}
  {%- set trial = relation.incorporate(path={'identifier': relation.identifier ~ '__dbt_tmp'}) -%}
  {%- do run_query(eddyline.create_global_table_sql(trial, sql)) -%}
  {%- do run_query('drop global table ' ~ trial) -%}
{%- endmacro %}
