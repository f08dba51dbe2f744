{# The statement for a format that has MERGE, since none of them runs here. #}
{{ config(
    materialized='view',
    incremental_strategy='changed_rows',
    unique_key=['item', 'seen'],
    deletes=true,
    file_format='delta') }}

select {{ eddyline.literal(eddyline.write_changed_rows_sql(this, [{'name': 'item'}, {'name': 'seen'}, {'name': 'price'}], false)) }} as statement
