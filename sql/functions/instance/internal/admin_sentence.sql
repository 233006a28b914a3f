-- Returns a sentence that explains why a statement of an administrator is refused; null for a slug that no view of
-- schema admin raises. The HTTP interface has its own titles, in Swift, because its readers are mainly programs.
-- Locks: none. Codes: none.
CREATE OR REPLACE FUNCTION wallet.admin_sentence(p_slug TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
    SELECT s.sentence
    FROM (VALUES
        ('account-blocked', 'The account is blocked.'),
        ('already-exists', 'There is one like it already.'),
        ('amount-is-zero', 'An amount is required, and it cannot be 0.'),
        ('amount-too-large', 'The amount is above what one adjustment may move.'),
        ('balance-not-possible', 'A balance cannot be that.'),
        ('balance-too-low', 'The wallet holds less than that.'),
        ('booking-not-found', 'The user has no such booking.'),
        ('capacity-below-sold', 'More seats than that are sold.'),
        ('class-changed', 'The class changed after the statement read it.'),
        ('class-closed', 'The class has begun or is cancelled, so this cannot be changed any more.'),
        ('class-in-the-past', 'A class cannot be made in the past or moved there.'),
        ('class-not-found', 'There is no such class.'),
        ('column-not-editable', 'A column was set that cannot be changed.'),
        ('daily-amount-exceeded', 'The operator has moved too much today.'),
        ('event-already-processed', 'The message was carried out already.'),
        ('event-not-found', 'There is no such message or event.'),
        ('expiry-passed', 'The expiry lies in the past.'),
        ('gift-not-positive', 'A gift can only give.'),
        ('ledger-is-append-only', 'Nothing in the ledger or the audit can be changed or removed.'),
        ('not-cancellable', 'The booking is cancelled already, or the class has begun.'),
        ('nothing-to-waive', 'The booking was not cancelled late, or everything that it took came back already.'),
        ('offer-changed', 'The offer changed after the statement read it.'),
        ('one-row-at-a-time', 'The statement would change several rows.'),
        ('one-wallet-at-a-time', 'The transaction would change several wallets.'),
        ('owner-deleted', 'The purchase was left behind by a deleted account, so it stays released.'),
        ('preview-outdated', 'Something changed after the preview.'),
        ('product-changed', 'The product changed after the statement read it.'),
        ('product-exists', 'There is a product with this product_id already.'),
        ('product-kind-fixed', 'The kind and the unit of a product cannot be changed.'),
        ('purchase-not-found', 'The user has no such purchase.'),
        ('reason-required', 'A reason is required.'),
        ('reference-reused', 'The reference was used for something else already.'),
        ('resolution-not-possible', 'A flag cannot be resolved like that.'),
        ('right-missing', 'The operator has not the right that this needs.'),
        ('source-not-possible', 'A source is adjustment or gift.'),
        ('status-not-possible', 'The status cannot be set to that.'),
        ('store-id-taken', 'Another product has this id of a store.'),
        ('unauthenticated', 'The account was deleted or merged meanwhile.'),
        ('unknown-reference', 'It names something that is not there.'),
        ('user-and-reference-required', 'A user_id and a reference are required.'),
        ('user-not-found', 'The wallet does not know the user.'),
        ('user-required', 'A user_id is required.'),
        ('value-missing', 'A value is missing.'),
        ('value-not-possible', 'A value is not possible.'),
        ('wallet-busy', 'Somebody else is changing the wallet at this moment.'),
        ('wallet-moved', 'The balance changed after the statement read it.'),
        ('wallet-owes', 'The wallet owes something in this unit.')
    ) AS s (slug, sentence)
    WHERE s.slug = p_slug;
$$;
COMMENT ON FUNCTION wallet.admin_sentence(TEXT) IS
'Returns a sentence that explains why a statement of an administrator is refused.';
