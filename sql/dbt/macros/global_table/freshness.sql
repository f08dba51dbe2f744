{#-
  `dbt source freshness` for sources that are global tables, with `loaded_at_field: last_refresh()`:
  the time at which the version was last confirmed. Other sources are left to dbt.

  A project lets dbt find this macro by `dispatch` in its dbt_project.yml.
-#}
{% macro spark__collect_freshness(source, loaded_at_field, filter) %}
  {%- if loaded_at_field | replace(' ', '') != 'last_refresh()' %}
    {{ return(dbt.default__collect_freshness(source, loaded_at_field, filter)) }}
  {%- endif -%}
  {%- set age = eddyline.describe_global_table(source).get('age_ms') -%}
  {%- call statement('collect_freshness', fetch_result=True, auto_begin=False) -%}
    select
      {%- if age is none %}
      cast(null as timestamp) as max_loaded_at,
      {%- else %}
      timestamp_millis(unix_millis(current_timestamp()) - {{ age }}) as max_loaded_at,
      {%- endif %}
      {{ current_timestamp() }} as snapshotted_at
  {%- endcall -%}
  {{ return(load_result('collect_freshness')) }}
{% endmacro %}
