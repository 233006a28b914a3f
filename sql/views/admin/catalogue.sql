-- The catalogue, the stores and the classes, editable by administrators.
CREATE VIEW admin.products AS
SELECT
    p.product_id,
    p.kind,
    p.name,
    p.description,
    p.unit,
    p.amount::NUMERIC AS amount,
    p.bonus::NUMERIC AS bonus,
    p.price_minor::NUMERIC AS price_minor,
    p.currency,
    p.is_active,
    p.is_popular,
    p.display_order,
    p.app_store_id,
    p.play_store_id,
    p.revenuecat_id,
    p.valid_days,
    p.grace_days,
    p.tier,
    p.entitlements,
    p.period,
    p.unlimited,
    p.trial_amount::NUMERIC AS trial_amount,
    p.rollover_percentage::NUMERIC AS rollover_percentage,
    p.rollover_cap::NUMERIC AS rollover_cap,
    p.subscription_group,
    p.grant_source,
    p.days_ahead,
    p.commitment_amount::NUMERIC AS commitment_amount,
    p.freeze_days,
    p.freeze_minimum_days,
    p.starts_within_days,
    to_jsonb(p.bundle_items) AS bundle_items
FROM wallet.products AS p;
COMMENT ON VIEW admin.products IS 'The catalogue. INSERT and UPDATE affect future purchases only, never past ones.';
COMMENT ON COLUMN admin.products.kind IS 'pack, pass or plan; fixed, like product_id and unit.';
COMMENT ON COLUMN admin.products.amount IS 'Credits or visits that one purchase or period grants, without the bonus.';
COMMENT ON COLUMN admin.products.price_minor IS 'List price in the currency''s minor unit, such as cents.';
COMMENT ON COLUMN admin.products.valid_days IS
'The days that a pass is valid after its purchase, or after its first use (starts_within_days); null for no limit.';
COMMENT ON COLUMN admin.products.grant_source IS
'How the amount is determined: purchase (by the catalogue), or virtual_currency (reported by the store).';
COMMENT ON COLUMN admin.products.days_ahead IS 'How many days ahead holders of the plan may book; null for no limit.';
COMMENT ON COLUMN admin.products.commitment_amount IS
'The total amount of a commitment that is billed monthly; null for amount plus bonus.';
COMMENT ON COLUMN admin.products.freeze_days IS
'For how many days in a year a pass or the visits of a plan may be frozen; null for not at all.';
COMMENT ON COLUMN admin.products.freeze_minimum_days IS 'The shortest freeze in days; null for one day.';
COMMENT ON COLUMN admin.products.starts_within_days IS
'If set, valid_days start at the first use, at the latest so many days after the purchase; null for at the purchase.';
COMMENT ON COLUMN admin.products.bundle_items IS
'Further lots of a bundle: [{"unit": "visit", "amount": 3, "valid_days": 30, "starts_within_days": 60}, …].';
COMMENT ON COLUMN admin.products.period IS 'Length of a plan''s period, an ISO 8601 duration such as P1M.';
CREATE TRIGGER products_begin BEFORE UPDATE ON admin.products
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER products_one_row INSTEAD OF UPDATE ON admin.products
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER products_write INSTEAD OF INSERT OR UPDATE ON admin.products
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.stores AS SELECT s.store, s.grants_from, s.created_at FROM wallet.stores AS s;
COMMENT ON VIEW admin.stores IS 'Enabled stores and the times from which their purchases are granted.';
CREATE TRIGGER stores_write INSTEAD OF INSERT ON admin.stores
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.classes AS
SELECT
    c.class_id,
    c.title,
    c.starts_at,
    c.ends_at,
    wallet.studio_time(c.starts_at) AS starts_local,
    s.capacity::NUMERIC AS capacity,
    s.sold::INTEGER AS seats_sold,
    s.reserved::INTEGER AS seats_held,
    l.seats_left,
    l.waitlist_length AS waiting,
    c.price_credits::NUMERIC AS price_credits,
    c.price_visits::NUMERIC AS price_visits,
    c.free_minutes_before,
    c.max_seats,
    c.days_ahead,
    c.opens_minutes_before,
    c.closes_minutes_before,
    c.max_overlaps,
    c.waitlist_cutoff_minutes,
    c.policy_id,
    c.status,
    c.cancel_reason,
    c.series_id,
    floor(extract(EPOCH FROM c.ends_at - c.starts_at) / 60)::NUMERIC AS minutes
FROM wallet.classes AS c
INNER JOIN wallet.class_seats AS s ON c.class_id = s.class_id AND s.environment = 'production'
INNER JOIN wallet.class_list AS l ON s.class_id = l.class_id AND s.environment = l.environment;
COMMENT ON VIEW admin.classes IS
'Classes with production seats. INSERT and UPDATE create, change, move and cancel them, but never remove sold seats.';
COMMENT ON COLUMN admin.classes.starts_at IS
'Changing the start of a booked class moves it: members are notified and may cancel free of charge until then.';
COMMENT ON COLUMN admin.classes.starts_local IS
'The start in the studio''s time zone. To change it, set starts_at.';
COMMENT ON COLUMN admin.classes.seats_held IS 'Free seats reserved for the waitlist.';
COMMENT ON COLUMN admin.classes.max_seats IS 'The maximum number of seats of one booking; null for no limit.';
COMMENT ON COLUMN admin.classes.days_ahead IS
'How many days before the start the class can be booked at the earliest; null for no limit. A plan may extend it.';
COMMENT ON COLUMN admin.classes.opens_minutes_before IS
'Minutes before the start when booking opens; null if it is always open.';
COMMENT ON COLUMN admin.classes.closes_minutes_before IS
'Minutes before the start when booking closes; null for at the start.';
COMMENT ON COLUMN admin.classes.max_overlaps IS
'How many overlapping bookings a member may have when booking this class; null for no limit.';
COMMENT ON COLUMN admin.classes.waitlist_cutoff_minutes IS
'Minutes before the start when free seats are no longer reserved for the waitlist.';
COMMENT ON COLUMN admin.classes.policy_id IS
'The policy, which also sets free_minutes_before; null for none. Its bookings copy the current terms.';
COMMENT ON COLUMN admin.classes.status IS
'scheduled or cancelled. UPDATE … SET status = ''cancelled'', cancel_reason = ''…'' cancels it and all its bookings.';
COMMENT ON COLUMN admin.classes.minutes IS
'The length. INSERT with minutes needs no ends_at. Changing only starts_at keeps the length.';
COMMENT ON COLUMN admin.classes.class_id IS 'INSERT without a class_id makes one from the title and the start.';
COMMENT ON COLUMN admin.classes.series_id IS 'The series that created the class; null for none.';
CREATE TRIGGER classes_begin BEFORE UPDATE ON admin.classes
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER classes_one_row INSTEAD OF UPDATE ON admin.classes
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER classes_write INSTEAD OF INSERT OR UPDATE ON admin.classes
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.policies AS
SELECT
    p.policy_id,
    p.name,
    p.free_minutes_before,
    p.late_cancel_fee::NUMERIC AS late_cancel_fee,
    p.late_cancel_strike,
    p.no_show_fee::NUMERIC AS no_show_fee,
    p.no_show_strike,
    p.strikes_allowed,
    p.strike_days,
    p.block_days,
    p.check_in_minutes_before,
    p.check_in_minutes_after
FROM wallet.policy_list AS p;
COMMENT ON VIEW admin.policies IS
'Policies of classes. INSERT and UPDATE affect future bookings only; existing bookings keep their terms.';
COMMENT ON COLUMN admin.policies.free_minutes_before IS 'Minutes before the start until when cancelling is free.';
COMMENT ON COLUMN admin.policies.late_cancel_fee IS
'The fee in credits for a late cancellation, in addition to the price; 0 for none.';
COMMENT ON COLUMN admin.policies.late_cancel_strike IS 'Whether a late cancellation counts as a strike.';
COMMENT ON COLUMN admin.policies.no_show_fee IS
'The fee in credits for a no-show, in addition to the price; 0 for none.';
COMMENT ON COLUMN admin.policies.no_show_strike IS 'Whether a no-show counts as a strike.';
COMMENT ON COLUMN admin.policies.strikes_allowed IS
'How many strikes a member may have within strike_days; one more blocks bookings. Null if strikes never block.';
COMMENT ON COLUMN admin.policies.block_days IS 'How many days the strike that is one too many blocks bookings.';
COMMENT ON COLUMN admin.policies.check_in_minutes_before IS
'Minutes before the start from when members may check in.';
COMMENT ON COLUMN admin.policies.check_in_minutes_after IS
'Minutes after the start until when members may check in; null for until the end of the class.';
CREATE TRIGGER policies_begin BEFORE UPDATE ON admin.policies
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER policies_one_row INSTEAD OF UPDATE ON admin.policies
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER policies_write INSTEAD OF INSERT OR UPDATE ON admin.policies
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.series AS
SELECT
    s.series_id,
    p.template ->> 'title' AS title,
    p.weekdays,
    p.start_time,
    p.minutes,
    p.time_zone,
    p.from_date,
    s.ends_on,
    s.exceptions,
    s.create_days_ahead,
    p.capacity::NUMERIC AS capacity,
    (p.template ->> 'price_credits')::NUMERIC AS price_credits,
    (p.template ->> 'price_visits')::NUMERIC AS price_visits,
    coalesce(y.free_minutes_before, (p.template ->> 'free_minutes_before')::INTEGER) AS free_minutes_before,
    (p.template ->> 'max_seats')::INTEGER AS max_seats,
    (p.template ->> 'days_ahead')::INTEGER AS days_ahead,
    (p.template ->> 'opens_minutes_before')::INTEGER AS opens_minutes_before,
    (p.template ->> 'closes_minutes_before')::INTEGER AS closes_minutes_before,
    (p.template ->> 'max_overlaps')::INTEGER AS max_overlaps,
    (p.template ->> 'waitlist_cutoff_minutes')::INTEGER AS waitlist_cutoff_minutes,
    p.template ->> 'policy_id' AS policy_id,
    a.classes_ahead,
    a.next_starts_at
FROM wallet.series AS s
CROSS JOIN (SELECT (SELECT wallet.now()) AS now) AS n
CROSS JOIN LATERAL (
    SELECT q.* FROM wallet.series_patterns AS q WHERE q.series_id = s.series_id ORDER BY q.from_date DESC LIMIT 1
) AS p
LEFT JOIN wallet.policy_list AS y ON y.policy_id = p.template ->> 'policy_id'
CROSS JOIN LATERAL (
    SELECT count(*)::INTEGER AS classes_ahead, min(c.starts_at) AS next_starts_at FROM wallet.classes AS c
    WHERE c.series_id = s.series_id AND c.status = 'scheduled' AND c.starts_at > n.now
) AS a;
COMMENT ON VIEW admin.series IS
'Weekly series of classes with their last pattern. INSERT creates one; UPDATE changes its classes from from_date on.';
COMMENT ON COLUMN admin.series.series_id IS 'INSERT without a series_id makes one from the title.';
COMMENT ON COLUMN admin.series.start_time IS 'The time of day in time_zone, the same before and after clock changes.';
COMMENT ON COLUMN admin.series.time_zone IS 'INSERT without a time_zone uses the studio''s.';
COMMENT ON COLUMN admin.series.from_date IS
'The first date of the pattern. SET from_date together with other columns changes all classes from that date on.';
COMMENT ON COLUMN admin.series.ends_on IS
'The last date with a class; null for no end. Setting it cancels the later classes and all their bookings.';
COMMENT ON COLUMN admin.series.exceptions IS
'Dates without a class. Adding a date cancels its class and all bookings.';
COMMENT ON COLUMN admin.series.create_days_ahead IS 'How many days ahead classes are created.';
COMMENT ON COLUMN admin.series.policy_id IS
'The policy of the classes, which also sets free_minutes_before; null for none.';
COMMENT ON COLUMN admin.series.classes_ahead IS 'The number of scheduled classes that have not begun.';
CREATE TRIGGER series_begin BEFORE UPDATE ON admin.series
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER series_one_row INSTEAD OF UPDATE ON admin.series
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER series_write INSTEAD OF INSERT OR UPDATE ON admin.series
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();

CREATE VIEW admin.holidays AS SELECT h.on_date, h.name FROM wallet.holidays AS h;
COMMENT ON VIEW admin.holidays IS
'Dates without classes of series. INSERT cancels the series'' classes of that date; DELETE creates them again.';
CREATE TRIGGER holidays_begin BEFORE DELETE ON admin.holidays
FOR EACH STATEMENT EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER holidays_one_row INSTEAD OF DELETE ON admin.holidays
FOR EACH ROW EXECUTE FUNCTION wallet.admin_one_row();
CREATE TRIGGER holidays_write INSTEAD OF INSERT OR DELETE ON admin.holidays
FOR EACH ROW EXECUTE FUNCTION wallet.admin_change();
