import Foundation
import HTTPTypes
import Wallet

/// A call of an operator route.
struct OperatorCall: Sendable {
    let method: HTTPRequest.Method
    /// The route below `/operator/`.
    let path: String
    var query: [String: String]
    var environment: WalletEnvironment?
    var body: JSONValue?
    /// The Idempotency-Key, if the call has one.
    var key: String?

    init(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: [String: String] = [:],
        environment: WalletEnvironment? = nil,
        body: JSONValue? = nil,
        key: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.environment = environment
        self.body = body
        self.key = key
    }

    /// The path and the query.
    var address: String {
        "/operator/\(self.path)" + WebAddress.query(self.query)
    }

    /// Returns a curl command that sends the same call.
    func curl(to apiURL: String) -> String {
        var parts = ["curl -X \(self.method.rawValue) \(Self.quoted(apiURL + self.address))"]
        parts.append("-H \"Authorization: Bearer $OPERATOR_TOKEN\"")
        if let key = self.key { parts.append("-H \(Self.quoted("Idempotency-Key: \(key)"))") }
        if let environment = self.environment {
            parts.append("-H \(Self.quoted("Wallet-Environment: \(environment.rawValue)"))")
        }
        if let body = self.body {
            parts.append("-H 'Content-Type: application/json'")
            parts.append("-d \(Self.quoted(body.jsonText))")
        }
        return parts.joined(separator: " \\\n  ")
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
