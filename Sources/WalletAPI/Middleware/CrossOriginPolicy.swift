import HTTPTypes
import Hummingbird

/// Decides which web pages may read the answers of the user routes.
///
/// None may unless its origin is configured, or all are by `*`. A browser sends no credentials by itself (there is no
/// cookie, and the page that holds a bearer token has to send it), so no more is ever allowed.
struct CrossOriginPolicy: Sendable {
    /// The origins whose pages may read answers; empty for none, `*` for all.
    let origins: [String]

    /// The fields of every response, refusals too.
    func headers(for request: Request) -> HTTPFields {
        var headers: HTTPFields = [.accessControlExposeHeaders: Self.exposed]
        guard !self.origins.contains(Self.all) else {
            headers[.accessControlAllowOrigin] = Self.all
            return headers
        }
        headers[.vary] = "Origin"
        if let origin = request.headers[.origin], self.origins.contains(origin) {
            headers[.accessControlAllowOrigin] = origin
        }
        return headers
    }

    /// What a browser asks before it sends the request itself.
    func preflight(for request: Request) -> Response {
        var headers = self.headers(for: request)
        headers[.accessControlAllowHeaders] = Self.accepted
        headers[.accessControlAllowMethods] = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
        headers[.accessControlMaxAge] = "86400"
        headers[.contentType] = "text/plain; charset=utf-8"
        headers[.contentLength] = "2"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: "ok")))
    }

    private static let all = "*"
    private static let accepted =
        "authorization, x-client-info, apikey, content-type, idempotency-key, x-region, wallet-environment, x-request-id, "
        + "if-none-match, last-event-id, traceparent, wallet-position"
    private static let exposed =
        "x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, etag, location, link, "
        + "www-authenticate, wallet-position"
}
