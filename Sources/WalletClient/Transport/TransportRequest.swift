import Foundation

/// One HTTP request of the client.
struct TransportRequest: Sendable {
    var method: String
    var url: String
    var headers: [(name: String, value: String)]
    var body: Data?
}
