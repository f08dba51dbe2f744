{#-
  A test that the version of a global table was confirmed lately, and that its last refresh did not fail.

  Args:
    within: the greatest age, as an interval of SQL: '10 minutes'.
-#}
{% test fresh_enough(model, within) %}
  {%- set found = [] -%}
  {%- if eddyline.is_asked_for_rows() -%}
    {%- set described = eddyline.describe_global_table(eddyline.name_of(model)) -%}
    {%- do found.append(eddyline.freshness_sql(described, within)) -%}
  {%- endif -%}
  {{ eddyline.values_sql(found, "'' as table_name, 0L as age_ms, '' as last_error") }}
{% endtest %}


{% macro freshness_sql(described, within) -%}
  {%- set error = eddyline.literal(described.last_error) if 'last_error' in described else 'null' -%}
  select * from (
    select
      {{ eddyline.literal(described.table_name) }} as table_name,
      cast({{ described.age_ms if 'age_ms' in described else 'null' }} as bigint) as age_ms,
      cast({{ error }} as string) as last_error
  )
  where age_ms is null
     or age_ms > unix_millis(timestamp_millis(0) + {{ eddyline.interval(within) }})
     or last_error is not null
{%- endmacro %}


{% macro interval(text) -%}
  {{ return(text if text.lower().startswith('interval ') else 'interval ' ~ text) }}
{%- endmacro %}
