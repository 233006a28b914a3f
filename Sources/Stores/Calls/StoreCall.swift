import AsyncHTTPClient
import Metrics
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Synchronization

import struct Foundation.Data
import struct Foundation.Date
import struct Foundation.URL

/// One HTTP exchange with a store, with limits on time and answer size.
///
/// A redirect is never accepted as an answer, regardless of the client's setting.
struct StoreCall: Sendable {
    /// The request to send.
    struct Request: Sendable {
        var method: HTTPMethod
        /// The URL; every id in it must be escaped with ``StorePath/segment(_:)``.
        var url: String
        /// Headers in addition to `accept` and `user-agent`, which every call carries.
        var headers: [(String, String)] = []
        var body: Data?
        /// The operation's name in metrics.
        var operation = StoreOperation.other
    }

    /// The outcome of the exchange.
    enum Outcome: Sendable {
        /// A complete answer with any status; the store may have sent the number of seconds before a retry.
        case answered(status: Int, retryAfter: Int?, body: Data)
        /// No complete answer in time, or the connection failed.
        case unreachable
        /// An answer that a store does not give: a redirect, or one larger than allowed.
        case unusable
    }

    private let httpClient: HTTPClient
    private let maximumResponseBytes: Int
    private let metrics = StoreCallMetrics()

    init(httpClient: HTTPClient, maximumResponseBytes: Int) {
        self.httpClient = httpClient
        self.maximumResponseBytes = maximumResponseBytes
    }

    /// Sends the request and collects the answer.
    ///
    /// The client's own deadline covers only the head of the answer, so the whole exchange is raced against the timeout
    /// here.
    func send(_ request: Request, within timeout: Duration) async -> Outcome {
        let start = ContinuousClock.now
        let outcome = await self.race(request, within: timeout)
        self.metrics.note(request, outcome, took: start.duration(to: .now))
        return outcome
    }

    private func race(_ request: Request, within timeout: Duration) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.exchange(request) }
            group.addTask {
                // The task is cancelled when the exchange ends, so the cancellation error is ignored.
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next()?.flatMap { $0 } ?? .unreachable
        }
    }

    private func exchange(_ request: Request) async -> Outcome {
        do {
            let response = try await self.httpClient.execute(self.message(for: request), deadline: .distantFuture)
            guard response.history.count <= 1, !(300..<400).contains(response.status.code) else { return .unusable }
            let bytes = try await response.body.collect(upTo: self.maximumResponseBytes)
            return .answered(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap { StoreRetryAfter($0, now: Date()) }?
                    .seconds,
                body: Data(buffer: bytes)
            )
        } catch is NIOTooManyBytesError {
            return .unusable
        } catch {
            return .unreachable
        }
    }

    /// The body, even an empty one, is a stream that can be sent only once.
    ///
    /// A client that follows redirects therefore cannot send it, and a secret in it, to another host.
    private func message(for request: Request) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: request.url)
        message.method = request.method
        message.headers.add(name: "accept", value: "application/json")
        message.headers.add(name: "user-agent", value: "credit-wallet")
        for (name, value) in request.headers {
            message.headers.replaceOrAdd(name: name, value: value)
        }
        let body = request.body ?? Data()
        let once = AsyncStream<ByteBuffer> { continuation in
            if !body.isEmpty { continuation.yield(ByteBuffer(data: body)) }
            continuation.finish()
        }
        message.body = .stream(once, length: .known(Int64(body.count)))
        return message
    }
}

/// Measures the duration of calls to a store, by operation and result.
private final class StoreCallMetrics: Sendable {
    private struct Key: Hashable {
        let operation: StoreOperation
        let method: String
        /// Scheme, host and port, without the path, which contains ids.
        let server: Substring
        let status: Int?
        let error: String?
    }

    private let durations = Mutex<[Key: Timer]>([:])

    /// Records one exchange.
    func note(_ request: StoreCall.Request, _ outcome: StoreCall.Outcome, took duration: Duration) {
        let (status, error) = Self.result(of: outcome)
        let key = Key(
            operation: request.operation,
            method: request.method.rawValue,
            server: Self.server(request.url),
            status: status,
            error: error
        )
        self.timer(of: key).record(duration: duration)
    }

    private static func result(of outcome: StoreCall.Outcome) -> (status: Int?, error: String?) {
        switch outcome {
        case .answered(let status, _, _) where (200..<300).contains(status): (status, nil)
        case .answered(let status, _, _) where status >= 400: (status, "\(status)")
        case .answered(let status, _, _): (status, "unusable")
        case .unusable: (nil, "unusable")
        case .unreachable: (nil, "unreachable")
        }
    }

    /// Returns the part of a URL before its path.
    private static func server(_ url: String) -> Substring {
        guard let scheme = url.firstRange(of: "://") else { return "" }
        return url[..<(url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex)]
    }

    private func timer(of key: Key) -> Timer {
        self.durations.withLock { durations in
            if let known = durations[key] { return known }
            let timer = Timer(label: "http_client_request_duration_seconds", dimensions: Self.labels(of: key))
            durations[key] = timer
            return timer
        }
    }

    private static func labels(of key: Key) -> [(String, String)] {
        let url = URL(string: String(key.server))
        var labels = [
            ("wallet.store", key.operation.store), ("wallet.store.operation", key.operation.name),
            ("http.request.method", key.method), ("server.address", url?.host() ?? ""),
            ("server.port", "\(url?.port ?? (url?.scheme == "http" ? 80 : 443))"),
        ]
        if let status = key.status { labels.append(("http.response.status_code", "\(status)")) }
        if let error = key.error { labels.append(("error.type", error)) }
        return labels
    }
}

/// A `Retry-After` header in one of the forms that stores send.
struct StoreRetryAfter: Equatable {
    /// The maximum number of seconds that is accepted from a store.
    static let longest = 3_600

    /// The number of seconds to wait, between 1 and ``longest``.
    let seconds: Int

    /// Reads a header: seconds, or an instant in milliseconds since 1970 as the App Store sends it.
    ///
    /// The HTTP date form gives nil; no store sends it.
    /// - Parameters:
    ///   - text: The header's value.
    ///   - now: The current time, from which the wait is computed.
    init?(_ text: String, now: Date) {
        guard let number = Int64(text.trimmingSpaces), number >= 0 else { return nil }
        // As seconds, such a number would be over three thousand years.
        let isInstant = number > 100_000_000_000
        let (distance, overflow) = number.subtractingReportingOverflow(isInstant ? now.millisecondsSince1970 : 0)
        guard !overflow else { return nil }
        let seconds = isInstant ? (max(distance, 0) + 999) / 1_000 : distance
        self.seconds = Int(min(max(seconds, 1), Int64(Self.longest)))
    }
}

extension String {
    fileprivate var trimmingSpaces: Substring {
        let head = self.drop { $0 == " " }
        return head[..<(head.lastIndex { $0 != " " }.map(head.index(after:)) ?? head.startIndex)]
    }
}

/// An operation of a store as a label in metrics: one of a fixed set, independent of the ids in a call.
struct StoreOperation: Hashable, Sendable {
    let store: String
    let name: String

    /// The operation of requests without a specific name.
    static let other = Self(store: "other", name: "other")

    static let verifyReceipt = Self(store: "app_store", name: "verify_receipt")
    static let appStoreTransaction = Self(store: "app_store", name: "transaction")
    static let appStoreTransactions = Self(store: "app_store", name: "transactions")
    static let appStoreSubscriptions = Self(store: "app_store", name: "subscriptions")
    static let appStoreNotifications = Self(store: "app_store", name: "notifications")
    static let appStoreConsumption = Self(store: "app_store", name: "consumption")

    static let playToken = Self(store: "google_play", name: "token")
    static let playProduct = Self(store: "google_play", name: "product")
    static let playSubscription = Self(store: "google_play", name: "subscription")
    static let playVoided = Self(store: "google_play", name: "voided")
    static let playRefundReview = Self(store: "google_play", name: "refund_review")
    static let playDelivery = Self(store: "google_play", name: "delivery")

    static let revenueCatCustomer = Self(store: "revenuecat", name: "customer")
}

/// Escapes external text for use in URLs.
enum StorePath {
    /// The maximum size of a segment, in bytes before escaping.
    static let maximumBytes = 1_500

    /// Escapes text as one path segment or one query value, so that it cannot change the structure of the URL.
    ///
    /// Every byte except the unreserved characters of RFC 3986 is percent-encoded, including the percent sign.
    /// - Parameter text: An id from an external source.
    /// - Returns: The segment; nil for text that cannot be a store's id: empty, one or two dots, longer than
    ///   ``maximumBytes``, or with control characters.
    static func segment(_ text: String) -> String? {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= self.maximumBytes, text != ".", text != ".." else { return nil }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
        var segment = ""
        for byte in bytes {
            if self.isUnreserved(byte) {
                segment.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                segment += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return segment
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
