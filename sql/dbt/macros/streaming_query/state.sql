{#-
  Returns what the server says of a streaming query, as a mapping of `status`, `target`, `user` and `error`; none
  without one. One that cannot be loaded has no target, and no user either if its definition cannot be read.

  Args:
    name: the name of the query.
    queries: the rows of SHOW STREAMING QUERIES.
-#}
{% macro streaming_query_state(name, queries) -%}
  {%- for row in queries if row['name'] | lower == name | lower -%}
    {{ return({'status': row['status'], 'target': row['target'], 'user': row['user'], 'error': row['last_error']}) }}
  {%- endfor -%}
  {{ return(none) }}
{%- endmacro %}


{#- Returns the statement of a streaming query; this loads it, and is an error if that fails. -#}
{% macro statement_of_query(name) -%}
  {{ return(run_query('show create streaming query ' ~ adapter.quote(name)).rows[0][0]) }}
{%- endmacro %}


{#-
  Returns whether a query has ever ended a micro-batch. SHOW STREAMING QUERIES knows the last run alone, so this reads
  the newest generation of the checkpoint, whose file `metadata` is there since the first start.
-#}
{% macro has_committed(name) -%}
  {%- set described = run_query('describe streaming query ' ~ adapter.quote(name)) -%}
  {%- for row in described.rows if row[0] == 'checkpoint' -%}
    {%- set files = '{metadata,commits/[0-9]*,generation/*/metadata,generation/*/commits/[0-9]*}' -%}
    {%- set number = "regexp_extract(_metadata.file_path, '.*/generation/([0-9]+)/', 1)" -%}
    {%- set newest = 'select max(struct(coalesce(try_cast(' ~ number ~ ' as int), 0) as generation, '
        ~ "_metadata.file_path like '%/commits/%' as is_commit)) as file from text."
        ~ adapter.quote(row[1] ~ '/' ~ files) -%}
    {{ return(run_query('select 1 from (' ~ newest ~ ') where file.is_commit').rows | length > 0) }}
  {%- endfor -%}
{%- endmacro %}


{#- Refuses a query whose definition the server could not load, so that nothing can be compared or continued. -#}
{% macro refuse_broken_query(name, before) -%}
  {%- if before and before.status == 'FAILED' and not before.target %}
    {% do exceptions.raise_compiler_error(
        'The definition of the streaming query ' ~ name ~ ' cannot be loaded:\n  ' ~ before.error
        ~ '\nTo go on from its checkpoint, correct that and run START STREAMING QUERY ' ~ adapter.quote(name)
        ~ '. To drop the query and begin again with an empty table, run dbt with --full-refresh.') %}
  {%- endif -%}
{%- endmacro %}


{#-
  Drops a query that cannot be loaded, as STOP would have to. This comes before its table is dropped, since it may be
  refused. A definition that cannot be read names no checkpoint for PURGE.
-#}
{% macro drop_broken_query(name, before) -%}
  {% do run_query('drop streaming query ' ~ adapter.quote(name) ~ (' purge' if before.user else '')) %}
{%- endmacro %}


{#- Returns whether a query writes into the relation, of which the catalog may be named or not. -#}
{% macro writes_into(target, relation) -%}
  {%- set named = (target or '') | replace('`', '') | lower -%}
  {%- set own = relation.render() | replace('`', '') | lower -%}
  {{ return(named == own or named.endswith('.' ~ own)) }}
{%- endmacro %}


{#- Refuses a query that writes into another table: two models would have one name of a query. -#}
{% macro refuse_query_of_another_table(name, before, relation) -%}
  {%- if before and before.target and not eddyline.writes_into(before.target, relation) %}
    {% do exceptions.raise_compiler_error(
        'The streaming query ' ~ name ~ ' writes into another table than ' ~ relation.render() ~ ': ' ~ before.target
        ~ '. Give this model another query_name, or drop that query if no model has it.') %}
  {%- endif -%}
{%- endmacro %}


{#- Refuses to begin beside another query that writes into the table, as one of an earlier query_name. -#}
{% macro refuse_table_of_another_query(name, queries, relation) -%}
  {%- for row in queries if row['name'] | lower != name | lower and eddyline.writes_into(row['target'], relation) %}
    {% do exceptions.raise_compiler_error(
        'The streaming query ' ~ row['name'] ~ ' writes into ' ~ relation.render() ~ ', too. Drop it first: '
        ~ 'drop streaming query ' ~ adapter.quote(row['name']) ~ ' purge') %}
  {%- endfor -%}
{%- endmacro %}


{#-
  Refuses a table that is there, but not among those that dbt has listed: without this a run would begin again.
  Spark lists nothing if a table of the schema is dropped meanwhile, and dbt finds no schema whose name has a dot.
-#}
{% macro refuse_unlisted_table(relation) -%}
  {%- if adapter.get_columns_in_relation(relation) | length > 0 %}
    {% do exceptions.raise_compiler_error(
        relation.render() ~ ' is there, but was not among the tables that Spark has listed for dbt. Run dbt again. If '
        ~ 'this persists, write the schema of the model without a catalog.') %}
  {%- endif -%}
{%- endmacro %}


{#-
  Refuses a table that has rows and no query: a new query would write all rows of its sources again, unless
  there is a checkpoint from which it goes on. Where that is missing, the error is Spark's PATH_NOT_FOUND.
-#}
{% macro refuse_table_of_no_query(name, relation) -%}
  {%- if config.get('checkpoint') %}
    {%- set files = config.get('checkpoint') ~ '/{metadata,generation/*/metadata}' -%}
    {% do run_query('select 1 from text.' ~ adapter.quote(files) ~ ' limit 1') %}
  {%- else %}
    {% do exceptions.raise_compiler_error(
        relation.render() ~ ' has rows, but there is no streaming query ' ~ name ~ ', and a new one would write all '
        ~ 'rows of its sources once more. Run dbt with --full-refresh to begin again with an empty table, or set '
        ~ '`checkpoint` to the one from which the query is to go on.') %}
  {%- endif -%}
{%- endmacro %}


{#- Refuses the rows of an external table, whose files DROP TABLE leaves for the next one. -#}
{% macro refuse_rows_of_location(relation) -%}
  {%- if config.get('partition_by') and (config.get('file_format') or 'parquet') not in ['delta', 'iceberg', 'hudi'] %}
    {#- a new table knows no partitions of old files; the first statement makes the folder -#}
    {% do run_query('insert into ' ~ relation ~ ' select * from ' ~ relation ~ ' where false') %}
    {% do run_query('alter table ' ~ relation ~ ' recover partitions') %}
  {%- endif -%}
  {%- if eddyline.has_rows(relation) %}
    {% do exceptions.raise_compiler_error(
        relation.render() ~ ' is an external table, whose rows stay when it is dropped, and the query would write all '
        ~ 'rows of its sources once more. Delete the folder of the table, then run dbt with --full-refresh.') %}
  {%- endif -%}
{%- endmacro %}


{#- Refuses to make a table beside a query that goes on from its checkpoint, without the rows before it. -#}
{% macro refuse_query_of_no_table(name) -%}
  {% do exceptions.raise_compiler_error(
      'The table of the streaming query ' ~ name ~ ' is gone. Run dbt without --empty, which begins again, or drop the '
      ~ 'query with PURGE.') %}
{%- endmacro %}


{% macro has_rows(relation) -%}
  {{ return(run_query('select 1 from ' ~ relation ~ ' limit 1').rows | length > 0) }}
{%- endmacro %}


{#-
  Starts a query that has failed or has read all that was available, and leaves any other alone.

  Returns what was done, for the log of the run.
-#}
{% macro continue_streaming_query(name, before) -%}
  {%- if eddyline.is_available_now() and before.status == 'RUNNING' -%}
    {%- do run_query('await streaming query ' ~ adapter.quote(name)) -%}
  {%- endif -%}
  {%- if eddyline.is_available_now() or before.status == 'FAILED' -%}
    {#- the server may have started one that had failed meanwhile -#}
    {%- set verb = 'restart' if before.status == 'FAILED' else 'start' -%}
    {%- do run_query(verb ~ ' streaming query ' ~ adapter.quote(name)) -%}
    {{ return('started again' if before.status == 'FAILED' else 'continued') }}
  {%- endif -%}
  {%- if before.status == 'STOPPED' -%}
    {%- do exceptions.warn(
        'The streaming query ' ~ name ~ ' is stopped. START STREAMING QUERY ' ~ adapter.quote(name) ~ ' starts it.') -%}
  {%- endif -%}
  {{ return('unchanged') }}
{%- endmacro %}


{#- Waits for the end of an AVAILABLE NOW query, and stores what has become of a query as the result. -#}
{% macro report_streaming_query(name, done) -%}
  {%- set read = none -%}
  {%- set message = done -%}
  {%- if eddyline.is_available_now() -%}
    {%- do run_query('await streaming query ' ~ adapter.quote(name)) -%}
    {%- set batches = run_query('show streaming query progress ' ~ adapter.quote(name)) -%}
    {%- set read = batches.columns['input_rows'].values() | sum | int -%}
    {%- set message = done ~ ', read ' ~ read ~ ' rows' -%}
  {%- endif -%}
  {%- do store_raw_result('main', message=message, code=done, rows_affected=read) -%}
{%- endmacro %}
