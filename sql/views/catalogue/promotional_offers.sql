-- Promotional offers as GET /offers shows them with their plans.
CREATE VIEW wallet.promotional_offers AS
SELECT o.product_id, o.offer_id, o.name, o.eligibility
FROM wallet.offers AS o
INNER JOIN wallet.products AS p ON o.product_id = p.product_id
WHERE o.is_active AND p.is_active;
COMMENT ON VIEW wallet.promotional_offers IS 'Promotional offers of plans on sale.';
