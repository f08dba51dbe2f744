{#- Returns the statement that writes the changed rows: CREATE TABLE AS for the first, MERGE or INSERT. -#}
{% macro write_changed_rows_sql(target, columns, is_first) -%}
  {%- if is_first -%}
    {{ eddyline.create_changed_rows_sql(target, columns) }}
  {%- elif eddyline.has_versions() -%}
    insert into {{ target }} by name
    {{ eddyline.changed_rows_sql(target, columns, false) }}
  {%- else -%}
    {{ eddyline.merge_changed_rows_sql(target, columns) }}
  {%- endif -%}
{%- endmacro %}


{#- Not by dbt's create_table_as, which would compare a contract with the columns of versions too. -#}
{% macro create_changed_rows_sql(target, columns) -%}
  create table {{ target }}
  {{ file_format_clause() }}
  {{ options_clause() }}
  {{ tblproperties_clause() }}
  {{ partition_cols(label='partitioned by') }}
  {{ clustered_cols(label='clustered by') }}
  {{ location_clause() }}
  {{ comment_clause() }}
  as
  {{ eddyline.changed_rows_sql(target, columns, true) }}
{%- endmacro %}


{#- The changed rows; those of versions with `_version`, which grows by one a run, `_change` and `_written_at`. -#}
{% macro changed_rows_sql(target, columns, is_first) -%}
  select {{ eddyline.prefixed('new', columns | map(attribute='name')) }}
  {%- if eddyline.has_deletes() and not eddyline.has_versions() and not is_first %}, new.`_change`{% endif %}
  {%- if eddyline.has_versions() %},
    {{ '1L' if is_first else '(select coalesce(max(`_version`), 0) + 1 from ' ~ target ~ ')' }} as `_version`,
    new.`_change`,
    current_timestamp() as `_written_at`
  {%- endif %}
  from {{ eddyline.changes_relation() }} as new
  where case new.`_change`
    when 'unchanged' then false
    {#- a cached row may be computed again, from what others have written meanwhile #}
    when 'duplicate' then raise_error('two rows of one key') is null
    else true
  end
{%- endmacro %}


{% macro merge_changed_rows_sql(target, columns) -%}
  merge into {{ target }} as old
  using (
    {{ eddyline.changed_rows_sql(target, columns, false) }}
  ) as new
  on {{ eddyline.same_key_sql() }}
  {%- if eddyline.has_deletes() %}
  {%- set names = columns | map(attribute='name') | list %}
  when matched and new.`_change` = 'deleted' then delete
  when matched then update set {{ eddyline.assignments_sql(names) }}
  when not matched and new.`_change` <> 'deleted'
    then insert ({{ eddyline.column_list(names) }}) values ({{ eddyline.prefixed('new', names) }})
  {%- else %}
  when matched then update set *
  when not matched then insert *
  {%- endif %}
{%- endmacro %}


{% macro assignments_sql(names) -%}
  {%- set found = [] -%}
  {%- for name in names | map('trim') -%}
    {%- do found.append(adapter.quote(name) ~ ' = new.' ~ adapter.quote(name)) -%}
  {%- endfor -%}
  {{ return(found | join(', ')) }}
{%- endmacro %}


{#- The model itself, where rows are kept as versions: the newest row of each key that is not deleted. -#}
{% macro create_latest_view(target, columns) -%}
  {%- call statement('create_latest_view') -%}
    create or replace view {{ this }} {{ comment_clause() }} as
    select {{ eddyline.column_list(columns | map(attribute='name')) }}
    from {{ target }}
    qualify row_number() over (
      partition by {{ eddyline.column_list(config.get('unique_key')) }}
      order by `_version` desc, `_written_at` desc) = 1
      and `_change` <> 'deleted'
  {%- endcall -%}
{%- endmacro %}


{#- Creates the view again where there are versions, but no view of them: it was dropped or is another one. -#}
{% macro restore_latest_view(target) -%}
  {%- if not should_full_refresh() and load_cached_relation(target) is not none %}
    {%- set columns = adapter.get_columns_in_relation(target) | rejectattr('name', 'in', eddyline.own_columns()) -%}
    {% do eddyline.create_latest_view(target, columns | list) %}
    {% do adapter.cache_added(this.incorporate(type='view')) %}
  {%- endif -%}
{%- endmacro %}


{#-
  Applies on_schema_change: the table gets the columns that only the model has, or the run fails. The view
  of the latest rows gets them, too, also if an earlier run had no time for it. A column of another type
  than that of the table is refused, because the write may cut its values off.
-#}
{% macro add_new_columns(target, columns) -%}
  {%- set there = eddyline.columns_of(target) -%}
  {%- set missing = eddyline.columns_not_in(there, columns) -%}
  {%- for column in columns if column.type not in ['void', 'null'] -%}
    {%- for old in there if old.name | lower == column.lower and old.dtype | lower != column.type | lower %}
      {% do exceptions.raise_compiler_error(
          'The column ' ~ column.name ~ ' of the model ' ~ model.name ~ ' is ' ~ column.type ~ ', and ' ~ old.dtype
          ~ ' in its table. Write cast(… as ' ~ old.dtype ~ ') in the model, or run dbt with --full-refresh.') %}
    {%- endfor -%}
  {%- endfor -%}
  {%- if missing and config.get('on_schema_change') == 'append_new_columns' -%}
    {%- set added = [] -%}
    {%- for column in missing %}{% do added.append(adapter.quote(column.name) ~ ' ' ~ column.type) %}{% endfor -%}
    {%- do run_query('alter table ' ~ target ~ ' add columns (' ~ added | join(', ') ~ ')') -%}
  {%- elif missing -%}
    {% do exceptions.raise_compiler_error(
        'The model ' ~ model.name ~ ' has columns that its table has not: '
        ~ missing | map(attribute='name') | join(', ')
        ~ ". Write on_schema_change='append_new_columns', or run dbt with --full-refresh.") %}
  {%- endif -%}
  {%- if eddyline.has_versions() and eddyline.columns_not_in(adapter.get_columns_in_relation(this), columns) -%}
    {% do eddyline.create_latest_view(target, columns) %}
  {%- endif -%}
{%- endmacro %}


{#- Returns those of the columns of the model that are not among those of a relation. -#}
{% macro columns_not_in(there, columns) -%}
  {%- set names = there | map(attribute='name') | map('lower') | list -%}
  {{ return(columns | rejectattr('lower', 'in', names) | list) }}
{%- endmacro %}
