{#-
  dbt's own incremental models, and the strategy `changed_rows`.

  A project makes this its materialization with three lines, which docs/dbt.md shows, because dbt lets
  a package replace nothing of its own accord.
-#}
{% materialization incremental, adapter='spark', supported_languages=['sql', 'python'] %}
  {%- if config.get('incremental_strategy') == 'changed_rows' %}
    {{ return(eddyline.changed_rows()) }}
  {%- endif -%}
  {{ return(dbt.materialization_incremental_spark()) }}
{% endmaterialization %}


{#-
  The strategy `changed_rows`, KIP-557's idea for batch: only rows that differ from the row of the same
  key are written, by MERGE where the format has it, and as new versions where not.
-#}
{% macro changed_rows() %}
  {%- set target = eddyline.target_of_changed_rows() -%}
  {%- set existing = load_cached_relation(this) -%}
  {% do eddyline.validate_changed_rows() %}
  {%- if eddyline.has_versions() %}
    {% do eddyline.refuse_other_table(existing) %}
    {% do eddyline.restore_latest_view(target) if target.identifier not in (existing.information or '') %}
  {%- endif -%}
  {%- set is_first = not eddyline.is_incremental() -%}

  {{ run_hooks(pre_hooks) }}

  {%- if config.get('contract').enforced %}{% do get_assert_columns_equivalent(sql) %}{% endif -%}
  {%- set columns = eddyline.classify_changed_rows(none if is_first else target, is_first) -%}
  {%- set counts = eddyline.count_changed_rows() -%}
  {% do eddyline.raise_duplicate_keys(counts) %}

  {%- if is_first %}
    {% do drop_relation_if_exists(existing) %}
    {% do drop_relation_if_exists(load_cached_relation(target)) %}
  {%- endif -%}
  {%- set changed = counts.inserted + counts.updated + counts.deleted -%}
  {%- if is_first or changed > 0 %}
    {%- call statement('write_changed_rows') -%}
      {{ eddyline.write_changed_rows_sql(target, columns, is_first) }}
    {%- endcall -%}
  {%- endif -%}
  {%- if eddyline.has_versions() %}{% do eddyline.create_latest_view(target, columns) %}{% endif -%}
  {% do run_query('drop view ' ~ eddyline.changes_relation()) %}

  {% do store_raw_result(
      'main',
      message='inserted %s, updated %s, unchanged %s' % (counts.inserted, counts.updated, counts.unchanged)
        ~ (', deleted %s' % counts.deleted if eddyline.has_deletes() else ''),
      code='changed_rows',
      rows_affected=changed) %}

  {% do apply_grants(this, config.get('grants'), should_revoke(existing, is_first)) %}
  {% do persist_docs(this, model) %}
  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this.incorporate(type='view' if eddyline.has_versions() else 'table')]}) }}
{% endmacro %}


{#- As dbt's is_incremental, which a view of the latest rows would be no table for. -#}
{% macro is_incremental() -%}
  {%- if not execute or should_full_refresh() or model.config.materialized != 'incremental' -%}
    {{ return(false) }}
  {%- endif -%}
  {%- set target = eddyline.target_of_changed_rows() -%}
  {%- set found = adapter.get_relation(target.database, target.schema, target.identifier) -%}
  {{ return(found is not none and found.type == 'table' and load_relation(this) is not none) }}
{%- endmacro %}
