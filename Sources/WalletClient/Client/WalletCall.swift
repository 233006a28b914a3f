import Foundation

/// One operation of the wallet's HTTP interface, before token and environment are known.
struct WalletCall: Sendable {
    var method = "GET"
    /// The path's parts, not yet escaped.
    var path: [String]
    var query: [(name: String, value: String?)] = []
    var body: Data?
    var idempotencyKey: String?
    /// Answered to anyone; no token is asked for.
    var isPublic = false
    /// Does no more when it is sent twice, and is then answered alike.
    var isRepeatable = true
    /// Answered by events, without end.
    var isStream = false
    /// The last event that was received.
    var lastEventID: String?

    /// The bytes to send; members of the query without a value are left out.
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
