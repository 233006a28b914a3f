-- Carries out INSERT and UPDATE on admin.classes through the same function as the operator route.
-- Called by: the trigger classes_write. Locks and codes: see wallet.put_class; WL422 column-not-editable.
CREATE OR REPLACE FUNCTION wallet.admin_write_class() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = wallet, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (OLD.class_id, OLD.seats_sold, OLD.seats_left, OLD.status)
        IS DISTINCT FROM (NEW.class_id, NEW.seats_sold, NEW.seats_left, NEW.status)
    THEN
        RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'column-not-editable',
            HINT = 'class_id, seats_sold, seats_left and status follow from bookings and cancellations.';
    END IF;
    PERFORM wallet.put_class(
        NEW.class_id, NEW.title, NEW.starts_at, NEW.ends_at, NEW.capacity, NEW.price_credits, NEW.price_visits,
        coalesce(NEW.free_minutes_before, 1440), session_user::TEXT, NULL
    );
    RETURN NEW;
END;
$$;
COMMENT ON FUNCTION wallet.admin_write_class() IS 'Carries out INSERT and UPDATE on admin.classes.';
