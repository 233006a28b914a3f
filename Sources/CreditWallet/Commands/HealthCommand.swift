import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import NIOCore
import NIOHTTP1

/// `credit-wallet health`: checks the service on this machine, for containers without another HTTP client.
struct HealthCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check whether the service on this machine responds.",
        discussion: """
            Reads HTTP_HOST and HTTP_PORT like serve. Exits with 0 if the response is 200, 1 for another status, and \
            69 if there is no response.
            """
    )

    @Flag(help: "Check whether the service accepts requests (/ready), not only whether the process responds (/health).")
    var ready = false

    @Option(help: "Maximum seconds to wait for the response.")
    var timeout = 3

    func validate() throws {
        guard (1...600).contains(self.timeout) else { throw ValidationError("--timeout must be from 1 to 600.") }
    }

    func run() async throws {
        let settings = try await Settings.loadForCommand()
        let host = Self.reachable(try settings.required(.httpHost))
        let port = try settings.integer(.httpPort, in: 1...65_535)
        let address = "http://\(host):\(port)/\(self.ready ? "ready" : "health")"
        let status = try await self.status(of: address)
        guard status == 200 else { throw CommandError(.failed, "\(address) responded with status \(status).") }
        print("ok")
    }

    private func status(of address: String) async throws -> UInt {
        do {
            return try await HTTPClient.withHTTPClient(configuration: .outgoing) { client in
                let request = HTTPClientRequest(url: address)
                return try await client.execute(request, timeout: .seconds(Int64(self.timeout))).status.code
            }
        } catch {
            throw CommandError(.unavailable, "\(address) did not respond: \(error)")
        }
    }

    /// Returns the address that reaches the service from its own machine, because one cannot connect to "all
    /// addresses".
    static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }
}
