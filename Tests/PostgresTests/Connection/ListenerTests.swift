import Postgres
import TestSupport
import Testing

@Suite(.emptyDatabase) struct ListenerTests {
    @Test(.timeLimit(.minutes(1))) func `notifications come in order to everyone who listens`() async throws {
        try await withListener(channels: ["one", "Two \"quoted\""]) { listener, sender in
            var first = listener.events().makeAsyncIterator()
            var second = listener.events().makeAsyncIterator()
            #expect(await first.next() == .resync)
            #expect(await second.next() == .resync)
            for number in 0..<3 { try await sender.query("SELECT pg_notify('one', \(String(number)))") }
            try await sender.query("SELECT pg_notify('elsewhere', 'no'), pg_notify('Two \"quoted\"', 'yes')")
            for iterator in 0..<2 {
                var payloads: [String] = []
                for _ in 0..<4 {
                    let event = iterator == 0 ? await first.next() : await second.next()
                    if case .notification(let notification) = event { payloads.append(notification.payload) }
                }
                #expect(payloads == ["0", "1", "2", "yes"])
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a terminated session is replaced and the gap is reported`() async throws {
        try await withListener(channels: ["gap"], name: "to be terminated") { listener, sender in
            var events = listener.events().makeAsyncIterator()
            #expect(await events.next() == .resync)
            try await sender.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'to be terminated' AND datname = current_database()
                """
            )
            #expect(await events.next() == .resync)
            try await sender.query("SELECT pg_notify('gap', 'after')")
            guard case .notification(let notification) = await events.next() else {
                Issue.record("no notification came")
                return
            }
            #expect(notification.channel == "gap" && notification.payload == "after")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a consumer that lags is notified that it missed something`() async throws {
        try await withListener(channels: ["flood"]) { listener, sender in
            var events = listener.events(capacity: 4).makeAsyncIterator()
            var witness = listener.events().makeAsyncIterator()
            #expect(await events.next() == .resync)
            for number in 0..<50 { try await sender.query("SELECT pg_notify('flood', \(String(number)))") }
            // Who keeps up sees the last one when it has been handed to everybody, or is about to be.
            while let event = await witness.next() {
                if case .notification(let notification) = event, notification.payload == "49" { break }
            }
            var seen: [Listener.Event] = []
            for _ in 0..<4 { if let event = await events.next() { seen.append(event) } }
            #expect(seen.contains(.resync))
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a quiet connection is kept alive by heartbeats`() async throws {
        try await withListener(channels: ["quiet"], heartbeat: .milliseconds(50)) { listener, sender in
            var events = listener.events().makeAsyncIterator()
            #expect(await events.next() == .resync)
            try await Task.sleep(for: .milliseconds(500))
            try await sender.query("SELECT pg_notify('quiet', 'still here')")
            guard case .notification = await events.next() else {
                Issue.record("the heartbeat broke the connection")
                return
            }
        }
    }

    private func withListener(
        channels: [String],
        name: String = "listener",
        heartbeat: Duration = .seconds(30),
        _ body: (Listener, Connection) async throws -> Void
    ) async throws {
        var configuration = ConnectionConfiguration(url: try TestDatabase.current.url)
        configuration.applicationName = name
        let listener = Listener(
            configuration: configuration,
            channels: channels,
            heartbeat: heartbeat,
            logger: .silent
        )
        let running = Task { try await listener.run() }
        defer { running.cancel() }
        try await body(listener, try await connect())
    }
}
