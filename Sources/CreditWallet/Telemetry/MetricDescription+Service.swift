import Telemetry

/// All metric families of `/metrics`; `deploy/metrics.md` lists them for operators.
extension MetricDescription {
    static let all = requests + bookings + database + stores + books + spans + ProcessMetrics.descriptions

    private static let requests: [MetricDescription] = [
        .histogram("http_server_request_duration_seconds", "Time until the response to a request is decided."),
        .gauge("http_server_active_requests", "Requests that are being answered."),
        .counter(
            "wallet_http_connections_refused_total",
            "Connections that were closed before any request, by reason."
        ),
        .counter("wallet_http_accept_failures_total", "Failed attempts to accept a connection."),
        .counter("wallet_refusals_total", "Responses that are problems, by the slug of their type."),
    ]

    private static let bookings: [MetricDescription] = [
        .gauge("wallet_booking_queue_depth", "Bookings and cancellations that wait for their batch."),
        .histogram(
            "wallet_booking_batch_size",
            "Bookings and cancellations that are decided together.",
            bounds: [1, 2, 4, 8, 16, 24, 32, 64, 128, 256]
        ),
        .histogram("wallet_booking_queue_wait_seconds", "Time that a booking waits for its batch to start."),
        .counter(
            "wallet_debits_total",
            "Bookings and uses of passes that deducted something, decided by this instance."
        ),
        .counter("wallet_debited_units_total", "Credits and visits that these debits deducted."),
        .counter("wallet_receipt_facts_total", "Purchases that users submitted to this instance, by result."),
    ]

    private static let database: [MetricDescription] = [
        .histogram(
            "db_client_operation_duration_seconds",
            "Duration of a statement, including the wait for a connection."
        ),
        .gauge("db_client_connection_count", "Connections to the database, by state."),
        .gauge("db_client_connection_max", "Maximum number of connections to the database."),
        .gauge("db_client_connection_pending_requests", "Tasks that wait for a database connection."),
        .histogram("db_client_connection_wait_time_seconds", "Time that a task waited for a database connection."),
        .histogram("db_client_connection_create_time_seconds", "Time to open a database connection."),
        .counter("wallet_db_connection_failures_total", "Database connections that could not be opened."),
        .counter("wallet_db_statements_given_up_total", "Statements answered 503 at their deadline."),
        .gauge("wallet_db_sessions_given_up", "Abandoned database sessions that the server has not ended."),
        .counter("wallet_reads_total", "Reads that standbys may answer, by server and reason."),
    ]

    private static let stores: [MetricDescription] = [
        .histogram("http_client_request_duration_seconds", "Duration of a call to a store."),
        .counter("wallet_webhook_attempts_total", "Attempts to process messages of the stores, by result."),
        .histogram(
            "wallet_webhook_lag_seconds",
            "Time from receiving a store's message to applying it.",
            bounds: Self.longSeconds
        ),
    ]

    /// Sampled from the database at an interval.
    ///
    /// All instances report the same values, so use the maximum and not the sum.
    private static let books: [MetricDescription] = [
        .gauge("wallet_build_info", "1 for the running release, with the versions of Swift and PostgreSQL."),
        .gauge("wallet_liability_units", "Credits and visits that users can still spend, all wallets together."),
        .gauge("wallet_owed_units", "Refunded credits and visits that had already been spent."),
        .counter("wallet_grants_total", "Granted lots, all wallets together."),
        .counter("wallet_granted_units_total", "Granted credits and visits, all wallets together."),
        .gauge("wallet_spent_units", "Credits and visits spent and not returned, all wallets together."),
        .gauge("wallet_inbox_messages", "Unprocessed messages of the stores, by status."),
        .gauge("wallet_inbox_oldest_seconds", "Waiting time of the oldest unprocessed message, by status."),
        .gauge("wallet_outbox_age_seconds", "Waiting time of the oldest undelivered event."),
        .gauge("wallet_outbox_pending", "Events queued for the endpoint."),
        .gauge("wallet_outbox_dead", "Events whose delivery was given up."),
        .gauge(
            "wallet_invariant_violations",
            "Violations of the books' invariants; any value other than 0 is an error."
        ),
        .gauge("wallet_sampled_timestamp_seconds", "Time of the last reading of these figures, in seconds since 1970."),
    ]
}
