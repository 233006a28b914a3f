import Telemetry

/// All metric families of `/metrics`; `deploy/metrics.md` lists them for operators.
extension MetricDescription {
    static let all = requests + bookings + database + stores + books + spans + ProcessMetrics.descriptions

    private static let requests: [MetricDescription] = [
        .histogram("http_server_request_duration_seconds", "Time until the answer to a request is decided."),
        .gauge("http_server_active_requests", "Requests that are being answered."),
        .counter("wallet_http_connections_refused_total", "Connections that were closed before any request, by why."),
        .counter("wallet_http_accept_failures_total", "Attempts to take a connection that failed."),
        .counter("wallet_refusals_total", "Answers that are problems, by the slug of their type."),
    ]

    private static let bookings: [MetricDescription] = [
        .gauge("wallet_booking_queue_depth", "Bookings and cancellations that wait for their batch."),
        .histogram(
            "wallet_booking_batch_size",
            "Bookings and cancellations that are decided together.",
            bounds: [1, 2, 4, 8, 16, 24, 32, 64, 128, 256]
        ),
        .histogram("wallet_booking_queue_wait_seconds", "Time that a booking waits for its batch to start."),
        .counter("wallet_debits_total", "Bookings and uses of passes that this instance took something for."),
        .counter("wallet_debited_units_total", "Credits and visits that they took."),
        .counter("wallet_receipt_facts_total", "Purchases that users handed in here, by what became of them."),
    ]

    private static let database: [MetricDescription] = [
        .histogram("db_client_operation_duration_seconds", "Time that a statement and its wait for a connection take."),
        .gauge("db_client_connection_count", "Connections to the database, by what they are doing."),
        .gauge("db_client_connection_max", "Connections that there may be."),
        .gauge("db_client_connection_pending_requests", "Tasks that wait for a connection."),
        .histogram("db_client_connection_wait_time_seconds", "Time that a task waits for a connection."),
        .histogram("db_client_connection_create_time_seconds", "Time that opening a connection takes."),
        .counter("wallet_db_connection_failures_total", "Connections that could not be opened."),
        .counter("wallet_db_statements_given_up_total", "Statements answered 503 at their deadline."),
        .gauge("wallet_db_sessions_given_up", "Sessions given up that the server has not ended."),
        .counter("wallet_reads_total", "Reads that may go to standbys, by who answered and why."),
    ]

    private static let stores: [MetricDescription] = [
        .histogram("http_client_request_duration_seconds", "Time that a call to a store takes."),
        .counter("wallet_webhook_attempts_total", "Attempts at messages of the stores, by what became of them."),
        .histogram(
            "wallet_webhook_lag_seconds",
            "Time between receiving a store's message and having applied it.",
            bounds: Self.longSeconds
        ),
    ]

    /// Sampled from the database at an interval.
    ///
    /// All instances report the same values, so use the maximum and not the sum.
    private static let books: [MetricDescription] = [
        .gauge("wallet_build_info", "1 for the release that runs, with the versions of Swift and PostgreSQL."),
        .gauge("wallet_liability_units", "Credits and visits that users can still spend, all wallets together."),
        .gauge("wallet_owed_units", "Credits and visits that were refunded although they were spent."),
        .counter("wallet_grants_total", "Lots that were granted, all wallets together."),
        .counter("wallet_granted_units_total", "Credits and visits that were granted, all wallets together."),
        .gauge("wallet_spent_units", "Credits and visits that were spent and not returned, all wallets together."),
        .gauge("wallet_inbox_messages", "Messages of the stores that wait."),
        .gauge("wallet_inbox_oldest_seconds", "How long the oldest of them has waited."),
        .gauge("wallet_outbox_age_seconds", "How long the oldest undelivered event has waited."),
        .gauge("wallet_outbox_pending", "Events in line for the endpoint."),
        .gauge("wallet_outbox_dead", "Events that were given up."),
        .gauge("wallet_invariant_violations", "Places where the books break an invariant; anything but 0 is an alarm."),
        .gauge("wallet_sampled_timestamp_seconds", "When these figures were last read, in seconds since 1970."),
    ]
}
