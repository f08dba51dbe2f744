{{ config(materialized='table') }}

-- one row a customer; also of those who only bought
cogroup {{ ref('cart') }} as cart by customer_id,
        {{ ref('purchases') }} as purchases by buyer
aggregate count(cart.item)     as in_cart,
          sum(purchases.price) as spent
-- nothing follows this comment
