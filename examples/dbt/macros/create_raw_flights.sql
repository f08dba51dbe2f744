{#- The file of the flights as a table, which is the source of the project. -#}
{% macro create_raw_flights() %}
  create table if not exists {{ target.schema }}.raw_flights (
    year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int, arr_time int,
    sched_arr_time int, arr_delay int, carrier string, flight int, tailnum string, origin string,
    dest string, air_time int, distance int, hour int, minute int, time_hour timestamp)
  using csv options (header 'true', nullValue 'NA')
  location '{{ env_var('FLIGHTS_FILE') }}'
{% endmacro %}
