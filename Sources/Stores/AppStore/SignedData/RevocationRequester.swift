import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import X509

/// Sends an OCSP request to an issuer's responder, with limits on time and response size.
struct RevocationRequester: OCSPRequester {
    private struct Unusable: Error {}

    private static let maximumResponseBytes = 64 * 1_024

    let httpClient: HTTPClient

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do {
            return .response(try await self.ask(uri, request))
        } catch {
            return .terminalError(Unusable())
        }
    }

    /// The policy cancels this request after 10 seconds; the timeout here only limits the connection.
    private func ask(_ uri: String, _ body: [UInt8]) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: uri)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/ocsp-request")
        request.headers.add(name: "accept", value: "application/ocsp-response")
        request.headers.add(name: "user-agent", value: "credit-wallet")
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await self.httpClient.execute(request, timeout: .seconds(10))
        guard response.status == .ok, response.history.count <= 1 else { throw Unusable() }
        let bytes = try await response.body.collect(upTo: Self.maximumResponseBytes)
        return [UInt8](buffer: bytes)
    }
}
