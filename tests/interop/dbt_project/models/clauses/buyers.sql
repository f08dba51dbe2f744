{{ config(materialized='view') }}

cogroup {{ ref('cart') }} as cart by customer_id,
        {{ ref('purchases') }} as purchases by buyer
aggregate sum(purchases.price) as spent
having count(purchases.price) > 0
