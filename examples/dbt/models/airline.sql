{{ config(
    materialized='global_table',
    primary_key='carrier',
    refresh='manual',
    persist_docs={'relation': true}) }}

select carrier, name from {{ ref('airlines') }}
