{{ config(materialized='table') }}

select * from {{ ref('buyers') }} where spent > 7
