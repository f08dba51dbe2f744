{{ config(
    materialized='incremental',
    incremental_strategy='changed_rows',
    unique_key='item',
    on_schema_change='fail') }}

select item, price from {{ ref('offers') }}
