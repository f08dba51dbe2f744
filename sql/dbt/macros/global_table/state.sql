{#- Returns whether the relation that dbt has found is a global table. -#}
{% macro is_global_table(relation) -%}
  {{ return(relation is not none and 'eddyline.global=true' in (relation.information or '')) }}
{%- endmacro %}


{#- Drops a relation of another kind, as dbt's materialization `view` does with a table. -#}
{% macro make_room(relation, kind) -%}
  {{ log('Dropping relation ' ~ relation.render() ~ ' because it is no ' ~ kind.split(' ', 1)[1]) }}
  {% do adapter.drop_relation(relation) %}
{%- endmacro %}


{#- Returns what the server says of a global table: its `statement`, its `version` and the `folder` of its versions. -#}
{% macro global_table_state(relation) -%}
  {%- set shown = run_query('show create global table ' ~ relation) -%}
  {%- set described = eddyline.describe_global_table(relation) -%}
  {%- set folder = described.get('snapshots') -%}
  {{ return({'statement': shown.rows[0][0], 'version': described.get('version'), 'folder': folder}) }}
{%- endmacro %}


{#- Returns the rows of DESCRIBE GLOBAL TABLE as a mapping. -#}
{% macro describe_global_table(relation) -%}
  {%- set found = {} -%}
  {%- for row in run_query('describe global table ' ~ relation) %}
    {% do found.update({row[0]: row[1]}) %}
  {%- endfor -%}
  {{ return(found) }}
{%- endmacro %}


{#-
  Stores what has become of a global table as the result of the run.

  Args:
    relation: the table, just created or refreshed.
    before: its state before the run; none if it was not there.
    altered: its state before CREATE OR REPLACE.
-#}
{% macro report_global_table(relation, before, altered) -%}
  {%- set result = load_result('main')['table'].rows[0] -%}
  {%- set after = eddyline.global_table_state(relation) -%}
  {%- if before is none %}{% set done = 'created' %}
  {#- a new table, as of `select *` after its source has got a column, has a folder of its own -#}
  {%- elif after.statement != altered.statement or after.folder != altered.folder %}{% set done = 'replaced' %}
  {%- elif after.statement != before.statement %}{% set done = 'altered' %}
  {%- elif after.version != before.version %}{% set done = 'refreshed' %}
  {%- else %}{% set done = 'unchanged' %}
  {%- endif -%}
  {% do store_raw_result(
      'main', message=done ~ ', version ' ~ result['version'], code=done, rows_affected=result['rows']) %}
{%- endmacro %}
