{{ config(
    materialized='global_table',
    persist_docs={'relation': true, 'columns': true},
    tblproperties={'team': "it's ours"}) }}
select 1 as id
