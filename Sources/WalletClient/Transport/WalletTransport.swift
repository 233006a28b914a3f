import Foundation

/// The time without data after which a stream is considered lost, in seconds: three of the server's heartbeats.
let longestSilence: Int64 = 45

/// Sends requests; throws any error if no complete response comes.
protocol WalletTransport: Sendable {
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Passes the body of a successful response to `receive` piece by piece; returns the body of other responses.
    func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse
}
