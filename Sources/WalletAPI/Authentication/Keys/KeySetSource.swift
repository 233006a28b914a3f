import AsyncHTTPClient
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import Stores

/// Fetches a published key set over `https`, with limits on time and size, from public addresses by default.
struct KeySetSource: Sendable {
    let url: String
    let configuration: KeySetConfiguration
    let client: HTTPClient
    let logger: Logger

    init(url: String, configuration: KeySetConfiguration, client: HTTPClient, logger: Logger) throws(WalletAPIError) {
        guard Self.isAcceptable(URL(string: url), configuration) else {
            throw .configuration("The JWKS address \(url) is not an https address, or it leads into a private network.")
        }
        self.url = url
        self.configuration = configuration
        self.client = client
        self.logger = logger
    }

    /// Fetches the key set that is published now.
    func fetch() async throws -> KeySet {
        let json = try await withThrowingTaskGroup(of: Data.self) { group in
            group.addTask { try await self.download() }
            group.addTask {
                try await Task.sleep(for: self.configuration.timeout)
                throw Failure.timeout
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw Failure.timeout }
            return first
        }
        return try await KeySet(json: json, logger: self.logger)
    }

    private func download() async throws -> Data {
        var request = HTTPClientRequest(url: self.url)
        request.headers.add(name: "Accept", value: "application/json")
        let response = try await self.client.execute(request, deadline: .distantFuture, logger: self.logger)
        guard response.status == .ok else { throw Failure.status(Int(response.status.code)) }
        // A redirect must not lead from https to an address where an attacker could answer.
        guard Self.isAcceptable(response.url, self.configuration) else { throw Failure.redirect }
        let body = try await response.body.collect(upTo: self.configuration.maximumBytes)
        return Data(body.readableBytesView)
    }

    private enum Failure: Error {
        case timeout
        case status(Int)
        case redirect
    }

    private static func isAcceptable(_ url: URL?, _ configuration: KeySetConfiguration) -> Bool {
        guard let url, let host = url.host(), !host.isEmpty else { return false }
        switch url.scheme?.lowercased() {
        case "https": return configuration.allowsPlainLoopback || configuration.reach.allows(host: host)
        case "http": return configuration.allowsPlainLoopback && ["127.0.0.1", "localhost", "::1"].contains(host)
        default: return false
        }
    }
}
