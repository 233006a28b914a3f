import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import X509

/// Carries one question about revocation to an issuer's responder, bounded in time and in the size of the answer.
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

    /// The policy cancels this when its 10 s are over; the deadline here is for its connection alone.
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
