import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Wallet

/// A refusal or failure in the form of RFC 9457, with the response that carries it.
///
/// Routes and middlewares throw it instead of returning it, so that metrics and traces see the status.
struct Problem: HTTPResponseError {
    /// The text that precedes the slug in the `type` member.
    static let typeBase = "https://credit-wallet.example/problems/"
    /// The number of seconds to wait before a retry, if the error has no better value.
    static let defaultRetryAfter = 1

    var status: HTTPResponse.Status
    var slug: String
    var detail: String?
    var members: [String: JSONValue] = [:]
    var headers: HTTPFields = [:]
    var requestID: String?
    var form = Form.document

    init(
        _ status: HTTPResponse.Status,
        _ slug: String,
        _ detail: String? = nil,
        members: [String: JSONValue] = [:],
        headers: HTTPFields = [:],
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.slug = slug
        self.detail = detail
        self.members = members
        self.headers = headers
        // Both statuses invite a retry, so both always set `Retry-After`.
        if status == .tooManyRequests || status == .serviceUnavailable {
            self.headers[.retryAfter] = String(max(retryAfter ?? Self.defaultRetryAfter, 1))
        }
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let members = self.form == .envelope ? self.failureEnvelope : self.document
        let body = ByteBuffer(bytes: try WireJSON.encoder.encode(members))
        var headers = self.headers
        headers[.contentType] = self.form == .envelope ? "application/json" : "application/problem+json"
        headers[.contentLength] = String(body.readableBytes)
        headers[.cacheControl] = "no-store"
        headers[.requestID] = self.requestID
        return Response(status: self.status, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    /// Returns the detail; nil if it only repeats the title.
    private func detail(beside title: String) -> String? {
        self.detail == "\(title)." ? nil : self.detail
    }

    /// All members of the document; standard members replace extension members of the same name.
    var document: [String: JSONValue] {
        var document = self.members
        document["type"] = .text(Self.typeBase + self.slug)
        let title = ProblemTitles.title(of: self.slug, status: self.status.code)
        document["title"] = .text(title)
        document["status"] = .number(Decimal(self.status.code))
        document["detail"] = self.detail(beside: title).map { .text($0) }
        document["request_id"] = self.requestID.map { .text($0) }
        return document
    }
}
