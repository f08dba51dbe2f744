{{ config(
    materialized='incremental',
    incremental_strategy='changed_rows',
    unique_key=['month', 'origin'],
    tolerance=0.01) }}

select month, origin, flights, delay from {{ ref('delays') }}
