{#-
  Returns the condition that a row of the model differs from the row of the table with its key.

  NULL equals NULL, and NaN equals NaN. With `tolerance`, numbers are equal up to that distance: one
  number for all columns of type FLOAT, DOUBLE or DECIMAL, or a mapping of columns to numbers.
-#}
{% macro differs_sql(columns) -%}
  {%- set conditions = [] -%}
  {%- for name in eddyline.compared_columns(columns) -%}
    {%- set type = (columns | selectattr('lower', 'equalto', name) | first).type | lower -%}
    {%- do conditions.append(eddyline.column_differs_sql(name, eddyline.tolerance_of(name, type))) -%}
  {%- endfor -%}
  {{ return(conditions | join('\n        or ') if conditions else 'false') }}
{%- endmacro %}


{% macro column_differs_sql(name, tolerance) -%}
  {%- set new = 'new.' ~ adapter.quote(name) -%}
  {%- set old = 'old.' ~ adapter.quote(name) -%}
  {%- set equal = new ~ ' <=> ' ~ old -%}
  {%- if tolerance is not none -%}
    {%- set equal = '(' ~ equal ~ ' or coalesce(abs(' ~ new ~ ' - ' ~ old ~ ') <= ' ~ tolerance ~ ', false))' -%}
  {%- endif -%}
  {{ return('not ' ~ equal if tolerance is not none else 'not (' ~ equal ~ ')') }}
{%- endmacro %}


{% macro tolerance_of(name, type) -%}
  {%- set tolerance = config.get('tolerance') -%}
  {%- if tolerance is mapping -%}
    {%- for column, value in tolerance.items() if column | lower == name %}{{ return(value) }}{% endfor -%}
    {{ return(none) }}
  {%- endif -%}
  {{ return(tolerance if type.split('(')[0] in ['float', 'double', 'decimal'] else none) }}
{%- endmacro %}
