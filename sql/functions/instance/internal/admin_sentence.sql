-- Returns a sentence that explains why a statement of an administrator is refused; null for a slug that no view of
-- schema admin raises. The HTTP interface has its own titles, in Swift, because its readers are mainly programs.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.admin_sentence(p_slug TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT s.sentence
    FROM (VALUES
        ('account-blocked', 'The account is blocked.'),
        ('already-exists', 'A row with these values already exists.'),
        ('amount-is-zero', 'An amount is required, and it cannot be 0.'),
        ('amount-too-large', 'The amount exceeds the maximum for one adjustment.'),
        ('balance-not-possible', 'Invalid balance.'),
        ('balance-too-low', 'Insufficient balance.'),
        ('booking-not-found', 'The user has no such booking.'),
        ('capacity-below-sold', 'The capacity is below the number of seats sold.'),
        ('class-changed', 'The class changed after the statement read it.'),
        ('class-closed', 'The class is cancelled or has started, so this cannot be changed.'),
        ('class-in-the-past', 'A class cannot be added in the past or moved to the past.'),
        ('class-not-found', 'There is no such class.'),
        ('column-not-editable', 'The statement sets a column that cannot be changed.'),
        ('daily-amount-exceeded', 'The operator''s daily limit is reached.'),
        ('event-already-processed', 'The message was already processed.'),
        ('event-not-found', 'There is no such message or event.'),
        ('expiry-passed', 'The expiry is in the past.'),
        ('gift-not-positive', 'The amount of a gift must be positive.'),
        ('ledger-is-append-only', 'Rows of the ledger and the audit cannot be changed or removed.'),
        ('not-cancellable', 'The booking is already cancelled, or the class has started.'),
        ('nothing-to-waive', 'The booking was not cancelled late, or its full cost was already returned.'),
        ('offer-changed', 'The offer changed after the statement read it.'),
        ('one-row-at-a-time', 'The statement would change several rows.'),
        ('one-wallet-at-a-time', 'The transaction would change several wallets.'),
        ('owner-deleted', 'The owner deleted the account, so the purchase stays released.'),
        ('preview-outdated', 'The data changed after the preview.'),
        ('product-changed', 'The product changed after the statement read it.'),
        ('product-exists', 'A product with this product_id already exists.'),
        ('product-kind-fixed', 'The kind and the unit of a product cannot be changed.'),
        ('purchase-not-found', 'The user has no such purchase.'),
        ('reason-required', 'A reason is required.'),
        ('reference-reused', 'The reference was already used for a different action.'),
        ('resolution-not-possible', 'The flag cannot be resolved in this way.'),
        ('right-missing', 'The operator lacks the required role.'),
        ('source-not-possible', 'source must be adjustment or gift.'),
        ('status-not-possible', 'The status cannot be set to this value.'),
        ('store-id-taken', 'Another product already has this store id.'),
        ('unauthenticated', 'The account was deleted or merged in the meantime.'),
        ('unknown-reference', 'A referenced row does not exist.'),
        ('user-and-reference-required', 'A user_id and a reference are required.'),
        ('user-not-found', 'There is no such user.'),
        ('user-required', 'A user_id is required.'),
        ('value-missing', 'A value is missing.'),
        ('value-not-possible', 'A value is invalid.'),
        ('wallet-busy', 'Another transaction is changing the wallet.'),
        ('wallet-moved', 'The balance changed after the statement read it.'),
        ('wallet-owes', 'The wallet has a debt in this unit.')
    ) AS s (slug, sentence)
    WHERE s.slug = p_slug;
$$;
COMMENT ON FUNCTION wallet.admin_sentence(TEXT) IS
'Returns a sentence that explains why a statement of an administrator is refused.';
