cogroup {{ ref('by_customer') }} as every by customer_id,
        {{ ref('buyers') }}      as buyers by customer_id
aggregate sum(every.spent) as spent, sum(buyers.spent) as paid
having not (sum(every.spent) <=> sum(buyers.spent))
