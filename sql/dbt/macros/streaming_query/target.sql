{#-
  Returns the columns of a query over streams, and with them checks it.

  A view names them, because a statement cannot read a stream. The type of a change, by which
  `unique_key` deletes, is no column of the table.
-#}
{% macro columns_of_stream(relation, sql) -%}
  {%- set view = eddyline.temporary_view('dbt_tmp') -%}
  {%- do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ sql) -%}
  {%- set columns = eddyline.columns_of(view) -%}
  {%- do run_query('drop view ' ~ view) -%}
  {%- set typed = [] -%}
  {%- for column in columns if not (config.get('unique_key') and column.name == '_change_type') %}
    {%- do typed.append({'name': column.name, 'type': column.dtype}) -%}
  {%- endfor -%}
  {%- if config.get('batch_id') -%}
    {%- do typed.append({'name': config.get('batch_id'), 'type': 'bigint'}) -%}
  {%- endif -%}
  {#- DESCRIBE quotes no names of nested fields, so that a type may be no SQL -#}
  {%- do run_query(eddyline.no_rows_sql(typed)) -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(eddyline.no_rows_sql(typed)) -%}
  {%- endif -%}
  {{ return(typed) }}
{%- endmacro %}


{% macro no_rows_sql(columns) -%}
  {%- set nulls = [] -%}
  {%- for column in columns -%}
    {%- do nulls.append('cast(null as ' ~ column.type ~ ') as ' ~ adapter.quote(column.name)) -%}
  {%- endfor -%}
  select {{ nulls | join(', ') }}
{%- endmacro %}


{% macro create_target_sql(relation, columns) -%}
  create table {{ relation }} (
  {%- for column in columns %}
    {{ adapter.quote(column.name) }} {{ column.type }}
    {{- eddyline.column_comment(column.name) }}{{ ',' if not loop.last }}
  {%- endfor %}
  )
  using {{ config.get('file_format') or 'parquet' }}
  {{ options_clause() }}
  {{ tblproperties_clause() }}
  {{ partition_cols(label='partitioned by') }}
  {{ clustered_cols(label='clustered by') }}
  {{ location_clause() }}
  {%- if eddyline.comment() is not none %}
  comment {{ eddyline.literal(eddyline.comment()) }}
  {%- endif %}
{%- endmacro %}


{% macro column_comment(name) -%}
  {%- set documented = model.columns.get(name, {}).get('description') if config.persist_column_docs() else none -%}
  {{ return(' comment ' ~ eddyline.literal(documented) if documented else '') }}
{%- endmacro %}
