import CommandOutput
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CreditWallet
@testable import WalletDev

/// Tests of the service's limits on connections and open files.
@Suite struct OpenFilesTests {
    @Test(
        arguments: [
            (1_024, 138, 16_384, 886), (300, 138, 300, 162), (300, 138, 0, 162), (20_000, 138, 16_384, nil),
            (16_522, 138, 16_384, nil), (16_521, 138, 16_384, 16_383), (.max, 138, 0, nil), (139, 138, 1, nil),
        ] as [(Int, Int, Int, Int?)]
    )
    func `the limit of open files bounds connections`(files: Int, reserved: Int, wanted: Int, room: Int?) throws {
        #expect(try OpenFiles.room(in: files, beside: reserved, wanted: wanted) == room)
    }

    @Test func `a limit without room for a connection is an error`() {
        #expect(throws: CommandError.self) { try OpenFiles.room(in: 138, beside: 138, wanted: 16_384) }
    }

    @Test(.emptyDatabase) func `serve raises its limit, and logs when it may not`() async throws {
        let database = try TestDatabase.current
        #expect(try await Executable.run(["migrate"], environment: ["DATABASE_URL": database.url]).status == 0)
        for (limits, told) in [("200:4096", false), ("200:300", true)] {
            var environment = ServeConfiguration.environment(databaseURL: try database.serviceURL)
            let port = try FreePort.find()
            environment["HTTP_PORT"] = "\(port)"
            environment["HTTP_MAXIMUM_CONNECTIONS"] = "300"
            let serve = try RunningExecutable(["serve"], environment: environment, within: limits)
            try await self.answers(port, while: serve)
            #expect(serve.output.contains("allows fewer connections") == told, "\(serve.output)")
            #expect(try await serve.stop() == 0)
        }
    }

    @Test(.emptyDatabase) func `without free files, connections wait without using CPU, and this is logged`()
        async throws
    {
        let database = try TestDatabase.current
        #expect(try await Executable.run(["migrate"], environment: ["DATABASE_URL": database.url]).status == 0)
        var environment = ServeConfiguration.environment(databaseURL: try database.serviceURL)
        let (port, metricsPort) = (try FreePort.find(), try FreePort.find())
        environment["HTTP_PORT"] = "\(port)"
        environment["METRICS_PORT"] = "\(metricsPort)"
        let serve = try RunningExecutable(["serve"], environment: environment)
        try await self.answers(port, while: serve)
        let process = serve.processID
        let idle = try await self.ticks(of: process, in: .seconds(6))
        let open = try self.openFiles(of: process)
        try await self.limit(process, to: "\(open + 5):4096")

        let start = ContinuousClock.now
        var connections: [any Channel] = []
        for _ in 0..<40 {
            connections.append(
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port).get()
            )
        }
        try await eventually("the lack of open files is logged") {
            serve.output.contains("connections cannot be accepted")
        }
        #expect(try self.openFiles(of: process) < open + 5, "no file is free for the rest of the process")
        let used = try await self.ticks(of: process, in: .seconds(6))
        #expect(used < idle + 100, "\(used) of 600 ticks, \(idle) without the connections")
        for connection in connections {
            // The service may already have closed the connection, because it sent nothing.
            connection.close(promise: nil)
            try await connection.closeFuture.get()
        }
        try await self.limit(process, to: "4096:4096")
        try await self.answers(port, while: serve)
        let metrics = try await ChildProcess.run(["curl", "-sf", "http://127.0.0.1:\(metricsPort)/metrics"]).output
        let line = try #require(
            metrics.split(separator: "\n").first { $0.hasPrefix("wallet_http_accept_failures_total ") }
        )
        let failures = try #require(line.split(separator: " ").last.flatMap { Double($0) })
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect((1...seconds + 1).contains(failures), "\(failures) failures in \(seconds) s")
        let logged = serve.output.ranges(of: "connections cannot be accepted").count
        #expect((1...1 + Int(seconds / 60)).contains(logged), "logged \(logged) times in \(seconds) s")
        #expect(try await serve.stop() == 0)
    }

    private func limit(_ process: Int32, to limits: String) async throws {
        let done = try await ChildProcess.run(["prlimit", "--pid", "\(process)", "--nofile=\(limits)"])
        try #require(done.status == 0, "\(done.output)")
    }

    private func openFiles(of process: Int32) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
    }

    /// Returns the CPU time that a process uses in a period, in hundredths of a second.
    private func ticks(of process: Int32, in period: Duration) async throws -> Int {
        let before = try self.ticks(of: process)
        try await Task.sleep(for: period)
        return try self.ticks(of: process) - before
    }

    /// Returns the CPU time that a process has used, in hundredths of a second.
    private func ticks(of process: Int32) throws -> Int {
        let line = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
        try #require(fields.count > 13)
        return try #require(Int(fields[11])) + #require(Int(fields[12]))
    }

    private func answers(_ port: Int, while server: RunningExecutable) async throws {
        try await server.wait(until: "serve answers") {
            try await ChildProcess.run(["curl", "-sf", "-m", "2", "http://127.0.0.1:\(port)/health"]).status == 0
        }
    }
}
