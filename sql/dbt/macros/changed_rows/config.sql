{#- Whether the rows are kept as versions, because the format of the table has no MERGE. -#}
{% macro has_versions() -%}
  {{ return(model.config.get('incremental_strategy') == 'changed_rows'
      and (model.config.get('file_format') or 'parquet') not in ['delta', 'iceberg', 'hudi']) }}
{%- endmacro %}


{#- Whether rows that the model has no more are deleted; --empty and --sample leave rows out. -#}
{% macro has_deletes() -%}
  {{ return(model.config.get('deletes') is true and not flags.EMPTY and not flags.SAMPLE) }}
{%- endmacro %}


{#- The table that is written: of versions, or the model itself. -#}
{% macro target_of_changed_rows() -%}
  {%- set name = this.identifier ~ '__versions' if eddyline.has_versions() else this.identifier -%}
  {{ return(this.incorporate(path={'identifier': name}, type='table')) }}
{%- endmacro %}


{#-
  Refuses to replace a table without --full-refresh: one of another strategy, or of a format that has
  MERGE. Its rows may be more than the model returns.
-#}
{% macro refuse_other_table(existing) -%}
  {%- if existing is not none and existing.is_table and not should_full_refresh() %}
    {% do exceptions.raise_compiler_error(
        existing.render() ~ " is a table, and incremental_strategy='changed_rows' would replace it by a view of "
        ~ 'its newest rows. Run dbt with --full-refresh to begin again with the rows that the model returns.') %}
  {%- endif -%}
{%- endmacro %}


{#- The rows of the model, each with what it is to the table; a cached view of the session. -#}
{% macro changes_relation() -%}
  {{ return(eddyline.temporary_view('dbt_changes')) }}
{%- endmacro %}


{% macro validate_changed_rows() -%}
  {%- if not config.get('unique_key') %}
    {% do exceptions.raise_compiler_error(
        "incremental_strategy='changed_rows' needs a key to find a row by: write unique_key='…', or a list of "
        ~ 'columns.') %}
  {%- endif -%}
  {%- if config.get('compared_columns') and config.get('ignored_columns') %}
    {% do exceptions.raise_compiler_error(
        'compared_columns and ignored_columns exclude each other. Write the shorter of the two.') %}
  {%- endif -%}
{%- endmacro %}


{#- The columns that the strategy adds. -#}
{% macro own_columns() -%}
  {{ return(['_change'] + (['_version', '_written_at'] if eddyline.has_versions() else [])) }}
{%- endmacro %}


{#- Refuses columns with the names of those that the strategy adds. -#}
{% macro refuse_own_columns(columns) -%}
  {%- set own = eddyline.own_columns() -%}
  {%- for column in columns if column.lower in own %}
    {% do exceptions.raise_compiler_error(
        'The model ' ~ model.name ~ ' has a column ' ~ column.name
        ~ ", which incremental_strategy='changed_rows' adds itself. Give it another name.") %}
  {%- endfor -%}
{%- endmacro %}


{#- Returns the names of the columns that are compared, in lower case. -#}
{% macro compared_columns(columns) -%}
  {%- set names = columns | map(attribute='lower') | list -%}
  {%- set keys = eddyline.as_list(config.get('unique_key')) | map('lower') | list -%}
  {%- set compared = eddyline.as_list(config.get('compared_columns')) | map('lower') | list -%}
  {%- set ignored = eddyline.as_list(config.get('ignored_columns')) | map('lower') | list -%}
  {%- set tolerated = config.get('tolerance') if config.get('tolerance') is mapping else {} -%}
  {%- for name in keys + compared + ignored + tolerated.keys() | map('lower') | list if name not in names %}
    {% do exceptions.raise_compiler_error(
        'The model ' ~ model.name ~ ' has no column ' ~ name ~ ', which its config names. Its columns are '
        ~ names | join(', ') ~ '.') %}
  {%- endfor -%}
  {{ return((compared or names) | reject('in', keys + ignored) | list) }}
{%- endmacro %}
