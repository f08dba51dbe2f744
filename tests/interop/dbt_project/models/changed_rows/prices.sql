{{ config(
    materialized='incremental',
    incremental_strategy='changed_rows',
    unique_key='item',
    ignored_columns='seen',
    tolerance=0.01) }}

select item, price, seen from {{ ref('offers') }}
