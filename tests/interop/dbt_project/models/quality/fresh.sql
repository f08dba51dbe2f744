{{ config(materialized='global_table', primary_key='id', refresh='manual') }}
select id, name from {{ ref('staff') }}
