{#-
  Caches the rows of the model, each with `_change`: inserted, updated, unchanged, or duplicate for a
  second row of a key; with `deletes` also the rows of the table that the model has no more, as
  deleted. The model runs once, and nothing is written.

  Returns the columns of the model, as mappings of `name`, `lower` and `type`.
-#}
{% macro classify_changed_rows(target, is_first) -%}
  {%- set source = eddyline.temporary_view('dbt_tmp') -%}
  {%- do run_query('create or replace temporary view ' ~ source ~ ' as\n' ~ sql) -%}
  {%- set found = eddyline.columns_of(source) -%}
  {%- set columns = [] -%}
  {%- for column in found -%}
    {%- do columns.append({'name': column.name, 'lower': column.name | lower, 'type': column.dtype}) -%}
  {%- endfor -%}
  {%- do eddyline.refuse_own_columns(columns) -%}
  {%- do eddyline.add_new_columns(target, columns) if target is not none -%}
  {#- a run that failed in this session has left its rows -#}
  {%- do run_query('drop view if exists ' ~ eddyline.changes_relation()) -%}
  {%- do run_query('cache table ' ~ eddyline.changes_relation() ~ ' as\n'
      ~ eddyline.classification_sql(source, target, columns)) -%}
  {{ return(columns) }}
{%- endmacro %}


{% macro classification_sql(source, target, columns) -%}
  {%- set keys = eddyline.as_list(config.get('unique_key')) -%}
  {%- set deletes = target is not none and eddyline.has_deletes() -%}
  {%- set names = columns | map(attribute='name') | list -%}
  {%- set change -%}
    case
      {%- if deletes %}
      when new.`__dbt_new` is null then 'deleted'
      {%- endif %}
      when row_number() over (partition by {{ eddyline.prefixed('new', keys) }}
        {{- ', new.`__dbt_new`' if deletes }} order by 1) > 1 then 'duplicate'
      {%- if target is not none %}
      when old.`__dbt_found` is not null and not ({{ eddyline.differs_sql(columns) }}) then 'unchanged'
      when old.`__dbt_found` is not null then 'updated'
      {%- else %}
      {%- do eddyline.compared_columns(columns) %}
      {%- endif %}
      else 'inserted'
    end
  {%- endset -%}
select {{ eddyline.either_sql(names) if deletes else eddyline.prefixed('new', names) }}, {{ change }} as `_change`
from {{ '(select *, true as `__dbt_new` from ' ~ source ~ ')' if deletes else source }} as new
  {%- if target is not none %}
{{ 'full' if deletes else 'left' }} join (select *, true as `__dbt_found` from {{ this }}) as old
  on {{ eddyline.same_key_sql() }}
  {%- endif %}
{%- endmacro %}


{#- The condition that a row of the model and a row of the table have one key; NULL equals NULL. -#}
{% macro same_key_sql() -%}
  {%- set conditions = [] -%}
  {%- for key in eddyline.as_list(config.get('unique_key')) | map('trim') -%}
    {%- set column = adapter.quote(key) -%}
    {%- do conditions.append('new.' ~ column ~ ' <=> old.' ~ column) -%}
  {%- endfor -%}
  {{ return(conditions | join(' and ')) }}
{%- endmacro %}


{#- The columns of the model, or of the table where the model has no row. -#}
{% macro either_sql(names) -%}
  {%- set found = [] -%}
  {%- for name in names | map('trim') -%}
    {%- set column = adapter.quote(name) -%}
    {%- do found.append('if(new.`__dbt_new` is null, old.' ~ column ~ ', new.' ~ column ~ ') as ' ~ column) -%}
  {%- endfor -%}
  {{ return(found | join(', ')) }}
{%- endmacro %}


{% macro prefixed(prefix, names) -%}
  {%- set found = [] -%}
  {%- for name in names %}{% do found.append(prefix ~ '.' ~ adapter.quote(name)) %}{% endfor -%}
  {{ return(found | join(', ')) }}
{%- endmacro %}


{#- Returns how many rows are `inserted`, `updated`, `deleted`, `unchanged` and `duplicate`. -#}
{% macro count_changed_rows() -%}
  {%- set counts = {'inserted': 0, 'updated': 0, 'deleted': 0, 'unchanged': 0, 'duplicate': 0} -%}
  {%- for row in run_query('select `_change`, count(*) from ' ~ eddyline.changes_relation() ~ ' group by 1') %}
    {%- do counts.update({row[0]: row[1] | int}) -%}
  {%- endfor -%}
  {{ return(counts) }}
{%- endmacro %}


{% macro raise_duplicate_keys(counts) -%}
  {%- if counts.duplicate > 0 %}
    {%- set keys = eddyline.column_list(config.get('unique_key')) -%}
    {%- set shown = [] -%}
    {%- for key in eddyline.as_list(config.get('unique_key')) -%}
      {%- do shown.append('coalesce(cast(' ~ adapter.quote(key) ~ " as string), 'NULL')") -%}
    {%- endfor -%}
    {%- set found = run_query(
        "select distinct concat_ws(', ', " ~ shown | join(', ') ~ ') from ' ~ eddyline.changes_relation()
        ~ " where `_change` = 'duplicate' limit 10") -%}
    {%- do run_query('drop view ' ~ eddyline.changes_relation()) -%}
    {% do exceptions.raise_compiler_error(
        'The model ' ~ model.name ~ ' returns ' ~ counts.duplicate ~ ' rows of a key (' ~ keys
        ~ ') that an earlier row has: (' ~ found.columns[0].values() | join('), (')
        ~ '). Keep one row of each key, or extend unique_key. Nothing was written.') %}
  {%- endif -%}
{%- endmacro %}
