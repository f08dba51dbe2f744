{#- Returns the name of the streaming query of a model; all sessions of a server share the names. -#}
{% macro streaming_query_name() -%}
  {{ return(config.get('query_name') or this.schema ~ '_' ~ this.identifier) }}
{%- endmacro %}


{#- Returns the trigger as SQL; none: a micro-batch begins when the one before has ended. -#}
{% macro trigger() -%}
  {%- set trigger = config.get('trigger') -%}
  {{ return(trigger | replace('_', ' ') if trigger else none) }}
{%- endmacro %}


{% macro is_available_now() -%}
  {{ return((eddyline.trigger() or '') | lower | trim == 'available now') }}
{%- endmacro %}


{#-
  The statement has one line a clause, so that `definition_of` can tell them apart. With
  `resets` it leaves out the checkpoint of an earlier query, which DROP without PURGE keeps.
-#}
{% macro create_streaming_query_sql(relation, name, sql, resets) -%}
  create or replace streaming query {{ adapter.quote(name) }}
  {%- if resets %}
  reset checkpoint
  {%- endif %}
  {%- if eddyline.trigger() %}
  trigger {{ eddyline.trigger() }}
  {%- endif %}
  {%- if config.get('checkpoint') %}
  checkpoint {{ eddyline.literal(config.get('checkpoint')) }}
  {%- endif %}
  {%- if config.get('query_options') %}
  options {{ eddyline.property_list(config.get('query_options'), ' ') }}
  {%- endif %}
  {%- if model.description %}
  comment {{ eddyline.literal(model.description) }}
  {%- endif %}
as {{ eddyline.sink_sql(relation) }}
{{ sql }}
{%- endmacro %}


{#- By name: partition columns are the last ones of a table, and a changed query may have another order. -#}
{% macro sink_sql(relation) -%}
  {%- if config.get('unique_key') -%}
    upsert into {{ relation }} key ({{ eddyline.column_list(config.get('unique_key')) }})
  {%- else -%}
    insert into {{ relation }} by name
  {%- endif -%}
  {%- if config.get('batch_id') %} with batch id {{ adapter.quote(config.get('batch_id')) }}{% endif %}
{%- endmacro %}
