import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import WalletAPI

/// Forwards the demo page's requests to the controls of the sandbox stores on another port, because the page may only
/// call its own origin.
struct DemoStoreProxy: Sendable {
    private static let prefix = "/demo/store/"
    private static let largestBody = 64 * 1_024
    private static let largestAnswer = 4 * 1_024 * 1_024

    let baseURL: String
    let httpClient: HTTPClient

    @Sendable
    func forward(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = request.uri.string
        guard target.hasPrefix(Self.prefix), !target.split(separator: "/").contains("..") else {
            throw HTTPError(.notFound)
        }
        var call = HTTPClientRequest(url: "\(self.baseURL)/sandbox/\(target.dropFirst(Self.prefix.count))")
        call.method = HTTPMethod(rawValue: request.method.rawValue)
        if let type = request.headers[.contentType] { call.headers.add(name: "content-type", value: type) }
        let body = try await request.body.collect(upTo: Self.largestBody)
        if body.readableBytes > 0 { call.body = .bytes(body) }
        do {
            let answer = try await self.httpClient.execute(call, timeout: .seconds(15))
            let bytes = try await answer.body.collect(upTo: Self.largestAnswer)
            return Response(
                status: HTTPResponse.Status(code: Int(answer.status.code)),
                headers: [
                    .contentType: answer.headers.first(name: "content-type") ?? "application/json",
                    .cacheControl: "no-store",
                ],
                body: ResponseBody(byteBuffer: bytes)
            )
        } catch {
            context.logger.warning("the sandbox store did not respond", metadata: ["error": "\(error)"])
            throw HTTPError(.badGateway, message: "The sandbox store does not answer.")
        }
    }
}
