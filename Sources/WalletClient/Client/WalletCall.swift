import Foundation

/// One operation of the wallet's HTTP interface, without token and environment.
struct WalletCall: Sendable {
    var method = "GET"
    /// The path segments before percent-encoding.
    var path: [String]
    var query: [(name: String, value: String?)] = []
    var body: Data?
    var idempotencyKey: String?
    /// A Boolean value that indicates whether the operation is public; the client then sends no token.
    var isPublic = false
    /// A Boolean value that indicates whether the call may be repeated: a repeat changes nothing and gets the same
    /// response.
    var isRepeatable = true
    /// A Boolean value that indicates whether the response is an endless stream of events.
    var isStream = false
    /// The id of the last event that the client received.
    var lastEventID: String?

    /// Returns the request to send; query items without a value are omitted.
    func request(
        baseURL: String,
        token: String?,
        environment: WalletEnvironment,
        position: String? = nil
    ) -> TransportRequest {
        var headers = [("accept", self.isStream ? "text/event-stream" : "application/json")]
        if let lastEventID { headers.append(("last-event-id", lastEventID)) }
        if let token { headers.append(("authorization", "Bearer \(token)")) }
        if environment == .sandbox { headers.append(("wallet-environment", environment.rawValue)) }
        if let position { headers.append((ReadPosition.header, position)) }
        if let idempotencyKey { headers.append(("idempotency-key", idempotencyKey)) }
        if body != nil { headers.append(("content-type", "application/json")) }
        return TransportRequest(
            method: self.method,
            url: baseURL + self.target,
            headers: headers.map { (name: $0.0, value: $0.1) },
            body: self.body
        )
    }

    private var target: String {
        let path = self.path.map { "/" + Self.escaped($0) }.joined()
        let query = self.query.compactMap { member in
            member.value.map { "\(member.name)=\(Self.escaped($0))" }
        }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }.joined()
    }
}
