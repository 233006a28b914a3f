import AsyncHTTPClient
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of `GET /balance/stream` on a real connection, one at a time.
///
/// A notification that one test causes could otherwise reach another test that waits for its own.
@Suite(.database, .serialized, .timeLimit(.minutes(10))) struct BalanceStreamTests {
    /// A write that takes longer than two heartbeats ends its stream, so they are not shorter.
    private static let quick = StreamLimits(total: 5, perUser: 2, heartbeat: .seconds(2))

    @Test func `a stream sends the balance at once, and again after each change`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let user = ServerHarness.someone()
            #expect(try await server.makeClass("stream-1").status == 200)
            _ = try await server.submit(try await server.buy(user).receipt, as: user)
            try await server.stream(user) { stream in
                #expect(stream.response.headers["Content-Type"] == ["text/event-stream"])
                #expect(stream.response.headers["Cache-Control"] == ["no-store"])
                #expect(stream.response.headers["X-Accel-Buffering"] == ["no"])
                #expect(try await stream.next()?.fields == ["retry": "5000"])
                let first = try await stream.nextBalance()
                let now = try await server.send(.get, "/balance", as: user)
                #expect(first.id == now.headers[.eTag])
                #expect(try first.balance["credits"] as? Int == 100)
                #expect(try Set(first.balance.keys) == Set(now.json.keys))

                #expect(try await server.book("stream-1", as: user).status == 201)
                let second = try await stream.nextBalance()
                #expect(try second.balance["credits"] as? Int == 80)
                #expect(try await second.id == server.send(.get, "/balance", as: user).headers[.eTag])
            }
        }
    }

    @Test func `a new user's stream sends the first credits`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let user = ServerHarness.someone()
            try await server.stream(user) { stream in
                #expect(try await stream.nextBalance().balance["version"] as? Int == 0)
                try await server.give(user, 7)
                #expect(try await stream.nextBalance().balance["credits"] as? Int == 7)
            }
        }
    }

    @Test func `a reader that resumes with the last id gets only later changes`() async throws {
        try await ServerHarness.withDatabase(setup: .live, streams: Self.quick) { server in
            let user = ServerHarness.someone()
            let id = try await server.stream(user) { try #require(try await $0.nextBalance().id) }
            try await server.stream(user, headers: ["Last-Event-ID": id]) { stream in
                _ = try await stream.next()
                #expect(try await stream.next()?.isHeartbeat == true)
                // This event leaves the wallet unchanged.
                try await ServerHarness.sql(
                    "SELECT wallet.emit('nothing', wallet.account_for('\(user)'), 'production')"
                )
                #expect(try await stream.next()?.isHeartbeat == true)
                try await server.give(user, 7)
                #expect(try await stream.nextBalance().id != id)
            }
            let old = try await server.stream(user, headers: ["Last-Event-ID": id]) { try await $0.nextBalance() }
            #expect(try old.balance["credits"] as? Int == 7)
        }
    }

    @Test func `each wallet has its own stream`() async throws {
        try await ServerHarness.withDatabase(setup: .live, streams: Self.quick) { server in
            let user = ServerHarness.someone()
            try await server.stream(user, headers: ["Wallet-Environment": "sandbox"]) { stream in
                #expect(try await stream.nextBalance().balance["environment"] as? String == "sandbox")
                try await server.give(user, 7)
                #expect(try await stream.next()?.isHeartbeat == true)
            }
        }
    }

    @Test func `a stream ends when its token does`() async throws {
        try await ServerHarness.withDatabase(setup: .live, streams: Self.quick) { server in
            let user = ServerHarness.someone()
            // The server accepts tokens for one more minute, because clocks differ. 20 seconds of it are left, so that
            // the stream begins in time on a busy machine.
            let expiry = Int(Date().timeIntervalSince1970) - 40
            let token = try ServerHarness.token(user, ["exp": expiry])
            let events = try await server.stream(user, token: token) { try await $0.rest() }
            #expect(events.contains { $0.isBalance })
        }
    }

    @Test func `a stream ends when its account is deleted`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let user = ServerHarness.someone()
            try await server.stream(user) { stream in
                _ = try await stream.nextBalance()
                #expect(try await server.send(.delete, "/account", as: user).status == 204)
                #expect(try await stream.rest().allSatisfy { !$0.isBalance })
            }
        }
    }

    @Test func `a stream ends when its account is merged into another`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let (user, guest) = (ServerHarness.someone(), ServerHarness.someone())
            let token = try ServerHarness.anonymousToken(guest)
            try await server.give(user, 1)
            try await server.stream(guest, token: token) { stream in
                _ = try await stream.nextBalance()
                let merged = try await server.send(.post, "/identify", as: user, json: ["anonymous_token": token])
                #expect(merged.status == 200)
                #expect(try await stream.rest().allSatisfy { !$0.isBalance })
            }
        }
    }

    @Test func `one user has so many streams and the service so many in all`() async throws {
        try await ServerHarness.withDatabase(setup: .live, streams: Self.quick) { server in
            let user = ServerHarness.someone()
            var held = [try await server.openStream(user), try await server.openStream(user)]
            let third = try await server.openStream(user)
            #expect(third.status == .tooManyRequests)
            let problem = String(buffer: try await third.body.collect(upTo: 10_000))
            #expect(problem.contains("/too-many-streams\""))
            #expect(problem.contains("\"maximum\":2"))
            for _ in 0..<3 { held.append(try await server.openStream(ServerHarness.someone())) }
            #expect(held.allSatisfy { $0.status == .ok })
            let late = try await server.openStream(ServerHarness.someone())
            #expect(late.status == .serviceUnavailable)
            #expect(String(buffer: try await late.body.collect(upTo: 10_000)).contains("/overloaded\""))

            // A closed connection frees its slot long before the next heartbeat.
            held.removeAll()
            while try await server.openStream(user).status != .ok { try await Task.sleep(for: .milliseconds(20)) }
        }
    }

    @Test func `a HEAD request uses no stream slot`() async throws {
        try await ServerHarness.withDatabase(setup: .live, streams: Self.quick) { server in
            let user = ServerHarness.someone()
            for _ in 0..<6 { #expect(try await server.send(.head, "/balance/stream", as: user).status == 200) }
            try await server.stream(user) { _ = try await $0.nextBalance() }
        }
    }

    @Test func `a token in the query is not read`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let token = try ServerHarness.token(ServerHarness.someone())
            for name in ["access_token", "token", "authorization"] {
                let answer = try await server.send(.get, "/balance/stream?\(name)=\(token)")
                #expect(answer.status == 401)
                #expect(answer.problem == "unauthenticated")
            }
        }
    }

    @Test func `a stream without events outlives the idle timeout`() async throws {
        try await ServerHarness.withDatabase(setup: .live, idleTimeout: 1) { server in
            let user = ServerHarness.someone()
            try await server.stream(user) { stream in
                _ = try await stream.nextBalance()
                try await Task.sleep(for: .seconds(3))
                try await server.give(user, 7)
                #expect(try await stream.nextBalance().balance["credits"] as? Int == 7)
            }
        }
    }

    @Test func `changes during a database outage are sent after the reconnection`() async throws {
        try await ServerHarness.withDatabase(setup: .live) { server in
            let user = ServerHarness.someone()
            try await server.stream(user) { stream in
                _ = try await stream.nextBalance()
                try await ServerHarness.sql(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND usename = 'wallet_service'
                    """
                )
                try await server.give(user, 7)
                #expect(try await stream.nextBalance().balance["credits"] as? Int == 7)
            }
        }
    }
}
