import CommandOutput
import Foundation
import Testing

@testable import WalletDev

@Suite struct PrivateClusterTests {
    private let password = String(repeating: "p", count: 32)

    @Test func `a cluster keeps its data across restarts`() async throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory("\(home.path)/data")
        try directory.create()

        let first = try await PrivateCluster.start(in: directory, password: self.password)
        try await self.psql(first, "CREATE TABLE kept AS SELECT 42 AS answer")
        await first.stop()
        #expect(!first.keeper.isRunning)

        let second = try await PrivateCluster.start(in: directory, password: self.password)
        #expect(try await self.psql(second, "SELECT answer FROM kept") == "42")
        await second.stop()
    }

    @Test func `TCP asks for the password and the socket is closed to others`() async throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory("\(home.path)/data")
        try directory.create()
        let cluster = try await PrivateCluster.start(in: directory, password: self.password)

        let right = try await ChildProcess.run(
            ["psql", "-XAtc", "SELECT 1", cluster.administratorURL(password: self.password)]
        )
        let wrong = try await ChildProcess.run(["psql", "-XAtc", "SELECT 1", cluster.administratorURL(password: "no")])
        let mode = try FileManager.default.attributesOfItem(atPath: cluster.socket.path)[.posixPermissions] as? Int
        await cluster.stop()

        #expect(right.output == "1\n")
        #expect(wrong.status == 2)
        #expect(wrong.output.contains("password authentication failed"))
        #expect(mode == 0o700)
    }

    @Test func `a directory whose path is too long for a socket works as well`() async throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory("\(home.path)/\(String(repeating: "long", count: 30))")
        try directory.create()

        let cluster = try await PrivateCluster.start(in: directory, password: self.password)
        #expect(try await self.psql(cluster, "SELECT 1") == "1")
        await cluster.stop()
        #expect(!FileManager.default.fileExists(atPath: cluster.socket.path))
    }

    @Test func `a directory that the server's account cannot reach works as well`() async throws {
        let home = try TemporaryDirectory()
        chmod(home.path, 0o700)
        let directory = DataDirectory("\(home.path)/data")
        try directory.create()

        let cluster = try await PrivateCluster.start(in: directory, password: self.password)
        #expect(try await self.psql(cluster, "SELECT 1") == "1")
        await cluster.stop()
    }

    @Test func `an interrupted first start is repeated`() async throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory("\(home.path)/data")
        try directory.create()
        try FileManager.default.createDirectory(
            atPath: "\(directory.cluster).new/base",
            withIntermediateDirectories: true
        )

        let cluster = try await PrivateCluster.start(in: directory, password: self.password)
        #expect(try await self.psql(cluster, "SELECT 1") == "1")
        await cluster.stop()
    }

    @Test func `the death of the server is noticed`() async throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory("\(home.path)/data")
        try directory.create()
        let cluster = try await PrivateCluster.start(in: directory, password: self.password)
        let pidFile = try String(contentsOfFile: "\(directory.cluster)/postmaster.pid", encoding: .utf8)
        let pid = try #require(pidFile.split(separator: "\n").first.flatMap { pid_t($0) })

        kill(pid, SIGKILL)
        await #expect(throws: CommandError.self) { try await cluster.run() }
        await cluster.stop()
    }

    @Test func `one directory serves one dev only`() throws {
        let home = try TemporaryDirectory()
        let directory = DataDirectory(home.path)
        let lock = try DirectoryLock(directory)
        #expect(throws: CommandError.self) { _ = try DirectoryLock(directory) }
        _ = consume lock
        _ = try DirectoryLock(directory)
    }

    @discardableResult
    private func psql(_ cluster: PrivateCluster, _ statement: String) async throws -> String {
        let result = try await ChildProcess.run(
            ["psql", "-XAt", "-v", "ON_ERROR_STOP=1", "-c", statement, cluster.url(role: "postgres")]
        )
        try #require(result.status == 0, "\(result.output)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
