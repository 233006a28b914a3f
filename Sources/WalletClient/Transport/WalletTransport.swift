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

/// How long a stream may be silent before it counts as lost, in seconds: three of the server's heartbeats.
let longestSilence: Int64 = 45

/// Carries bytes; throws whatever it likes where no complete answer comes.
protocol WalletTransport: Sendable {
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Hands on what comes of a successful answer, piece by piece, until it ends; other answers come as they are.
    func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse
}
