import HTTPTypes
import Hummingbird

/// Decides which web pages may read the responses of the user routes.
///
/// By default no page may read them; configured origins may, and `*` allows all. Browsers send no credentials
/// automatically, because there is no cookie and a page must send its bearer token itself. So the policy never allows
/// credentials.
struct CrossOriginPolicy: Sendable {
    /// The origins whose pages may read responses: empty for none, `*` for all.
    let origins: [String]

    /// Returns the fields of every response, including refusals.
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

    /// Returns the response to a preflight.
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
