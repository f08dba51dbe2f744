{#- Returns the text as a string literal of Spark. -#}
{% macro literal(text) -%}
  {%- set escaped = text | string | replace("\\", "\\\\") | replace("'", "\\'") | replace("\n", "\\n") -%}
  {{ return("'" ~ escaped ~ "'") }}
{%- endmacro %}


{#- Returns a config that is one value or a list of values as a list; none gives an empty one. -#}
{% macro as_list(value) -%}
  {{ return([] if value is none else [value] if value is string else value | list) }}
{%- endmacro %}


{#- Returns names of columns as SQL, quoted and separated by commas. -#}
{% macro column_list(names) -%}
  {% set quoted = [] %}
  {% for name in eddyline.as_list(names) %}{% do quoted.append(adapter.quote(name)) %}{% endfor %}
  {{ return(quoted | join(', ')) }}
{%- endmacro %}


{#- Returns `('key' = 'value', …)`, or with another separator, sorted by key. -#}
{% macro property_list(properties, separator=' = ') -%}
  {% set pairs = [] %}
  {% for key, value in properties | dictsort %}
    {% do pairs.append(eddyline.literal(key) ~ separator ~ eddyline.literal(value)) %}
  {% endfor %}
  {{ return('(' ~ pairs | join(', ') ~ ')') }}
{%- endmacro %}


{#- Returns the comment of the object that a model makes; none unless persist_docs asks for it. -#}
{% macro comment() -%}
  {{ return(model.description if config.persist_relation_docs() and model.description else none) }}
{%- endmacro %}


{#- Returns the only row of a statement as a mapping of the names of its columns; none without one. -#}
{% macro first_row(table) -%}
  {{ return(dict(table.rows[0].items()) if table and table.rows | length else none) }}
{%- endmacro %}


{#-
  Returns whether a statement that the server shows ends with this query: as typed, but for comments
  around it, of which the server keeps none or some.
-#}
{% macro ends_with_query(statement, sql) -%}
  {%- set query = sql | trim -%}
  {%- set parts = statement.split('\nAS ') -%}
  {%- for i in range(1, parts | length) -%}
    {%- set shown = parts[i:] | join('\nAS ') | trim -%}
    {%- set at = query.find(shown) -%}
    {%- if at >= 0 and eddyline.is_comment(query[:at]) and eddyline.is_comment(query[at + shown | length:]) %}
      {{ return(true) }}
    {%- endif -%}
  {%- endfor -%}
  {{ return(false) }}
{%- endmacro %}


{#-
  Returns the columns of a relation with their whole types, which DESCRIBE cuts off after 25 fields. There is
  no RESET: with `method: session` threads share one Spark session, and it would cut off what another reads.
-#}
{% macro columns_of(relation) -%}
  {%- do run_query('set spark.sql.debug.maxToStringFields = 100000') -%}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{%- endmacro %}


{#- Returns whether a text has nothing but comments. -#}
{% macro is_comment(text) -%}
  {{ return(modules.re.fullmatch('(\\s|--[^\\n]*(\\n|$)|/\\*([^*]|\\*(?!/))*\\*/)*', text) is not none) }}
{%- endmacro %}


{#-
  Returns the name of a temporary view of this model. With `method: session` the models of all schemas
  share one Spark session, so the name has the schema too.
-#}
{% macro temporary_view(suffix) -%}
  {%- set name = [this.schema, this.identifier, suffix] | join('__') -%}
  {{ return(api.Relation.create(identifier=name, type='view').include(database=false, schema=false)
      .quote(identifier=true)) }}
{%- endmacro %}


{#- Whether dbt is to run a test, and not only to write its text, for which no table need be there. -#}
{% macro is_asked_for_rows() -%}
  {{ return(execute and flags.WHICH not in ['compile', 'generate', 'list', 'parse']) }}
{%- endmacro %}


{#- Returns the name of what a test is about; with --empty and --sample `model` is a subquery. -#}
{% macro name_of(model) -%}
  {{ return(model if model is string else model.render()) }}
{%- endmacro %}
