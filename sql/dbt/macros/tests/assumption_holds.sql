{#-
  A test that the claim of ASSUME PARTITIONED BY is true: each key lies in one file. It fails with the
  keys that lie in several.

  Args:
    key: a column, or a list of columns.
    limit: how many keys are named; 10 by default.
-#}
{% test assumption_holds(model, key, limit=10) %}
  {%- set found = [] -%}
  {%- if eddyline.is_asked_for_rows() -%}
    {%- set checked = run_query(
        'check assumption on ' ~ eddyline.name_of(model) ~ ' partitioned by (' ~ eddyline.column_list(key) ~ ') limit ' ~ limit) -%}
    {%- for row in checked %}{% do found.append(eddyline.violation_sql(row)) %}{% endfor -%}
  {%- endif -%}
  {{ eddyline.values_sql(found, "'' as key, 0 as n_units, 0L as n_rows") }}
{% endtest %}


{% macro violation_sql(row) -%}
  select {{ eddyline.literal(row['key']) }} as key, {{ row['n_units'] }} as n_units, {{ row['n_rows'] }}L as n_rows
{%- endmacro %}


{#- The rows as a query; with none, a query with these columns and without rows. -#}
{% macro values_sql(rows, columns) -%}
  {{ rows | join('\nunion all\n') if rows else 'select ' ~ columns ~ ' where false' }}
{%- endmacro %}
