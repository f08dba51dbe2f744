{{ config(materialized='global_table', primary_key='id', refresh='manual', max_rows=1000) }}

-- one row for each of the staff
select id, name
from {{ ref('staff') }}
-- nothing follows this comment
