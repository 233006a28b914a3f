import Foundation

/// One HTTP request of the client.
struct TransportRequest: Sendable {
    var method: String
    var url: String
    var headers: [(name: String, value: String)]
    var body: Data?
}

/// A complete HTTP answer.
struct TransportResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: Data

    func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name }?.value
    }
}

/// Carries bytes; throws whatever it likes where no complete answer comes.
protocol WalletTransport: Sendable {
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
