import Foundation

/// How long a stream may be silent before it counts as lost, in seconds: three of the server's heartbeats.
let longestSilence: Int64 = 45

/// Carries bytes; throws whatever it likes where no complete answer comes.
protocol WalletTransport: Sendable {
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Hands on what comes of a successful answer, piece by piece, until it ends; other answers come as they are.
    func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse
}
