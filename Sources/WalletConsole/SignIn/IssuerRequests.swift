import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Sends requests to an issuer, with limits on time and size, and refuses redirects.
struct IssuerRequests: Sendable {
    let client: HTTPClient
    let timeout: Duration
    let maximumBytes: Int
    let logger: Logger

    /// Returns a document that an issuer publishes.
    func get(_ url: String) async throws(SignInError) -> Data {
        let (status, body) = try await self.send(HTTPClientRequest(url: url))
        guard status == 200 else {
            self.logger.warning(
                "an issuer returned an unexpected response",
                metadata: ["url": "\(url)", "status": "\(status)"]
            )
            throw .issuerUnavailable
        }
        return body
    }

    /// Posts a form.
    func post(
        _ url: String,
        _ form: [(name: String, value: String)],
        authorization: String?
    ) async throws(SignInError) -> (status: Int, body: Data) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        request.body = .bytes(ByteBuffer(string: IssuerAddress.form(form)))
        return try await self.send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws(SignInError) -> (status: Int, body: Data) {
        var request = request
        request.headers.add(name: "Accept", value: "application/json")
        do {
            return try await self.withinTime { [request] in try await self.answer(to: request) }
        } catch let error as SignInError {
            throw error
        } catch is NIOTooManyBytesError {
            throw .answerTooLarge
        } catch {
            // Only the address is logged, because the form contains the code and the verifier.
            self.logger.warning(
                "a request to an issuer failed",
                metadata: ["url": "\(request.url)", "error": "\(error)"]
            )
            throw .issuerUnavailable
        }
    }

    private func answer(to request: HTTPClientRequest) async throws -> (status: Int, body: Data) {
        let response = try await self.client.execute(request, deadline: .distantFuture)
        guard response.history.count <= 1, !(300..<400).contains(response.status.code) else {
            self.logger.warning(
                "an issuer redirected a request; redirects are not followed",
                metadata: ["url": "\(request.url)"]
            )
            throw SignInError.issuerUnavailable
        }
        let body = try await response.body.collect(upTo: self.maximumBytes)
        return (Int(response.status.code), Data(buffer: body))
    }

    private func withinTime<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: self.timeout)
                throw TimedOut()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw TimedOut() }
            return first
        }
    }

    private struct TimedOut: Error {}
}

/// Decides which addresses of an issuer are acceptable.
enum IssuerAddress {
    /// Returns whether an address has a host, no user and no fragment, and uses `https:` or an allowed `http:` loopback
    /// address.
    static func isAcceptable(_ address: String, allowsPlainLoopback: Bool) -> Bool {
        guard
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let parts = URLComponents(string: address),
            let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return false }
        switch parts.scheme?.lowercased() {
        case "https": return true
        case "http": return allowsPlainLoopback && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
        default: return false
        }
    }

    /// Appends parameters to an address, which may already have a query.
    static func adding(_ parameters: [(name: String, value: String)], to address: String) -> String {
        address + (address.contains("?") ? "&" : "?") + self.form(parameters)
    }

    /// Encodes parameters as a form.
    static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(WebAddress.escaped($0.value))" }.joined(separator: "&")
    }
}
