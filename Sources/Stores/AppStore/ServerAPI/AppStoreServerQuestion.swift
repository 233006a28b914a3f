import Foundation
import NIOHTTP1

/// What the App Store Server API is asked; the same whichever side is asked.
struct AppStoreServerQuestion: Sendable {
    let operation: StoreOperation
    var method = HTTPMethod.GET
    /// The path and query; every id in it has been escaped.
    var path: String
    var body: Data?

    /// The request to one side.
    /// - Parameters:
    ///   - baseURL: where the side is served.
    ///   - token: proves who asks.
    /// - Returns: what to send.
    func request(to baseURL: String, token: String) -> StoreCall.Request {
        var request = StoreCall.Request(method: self.method, url: baseURL + self.path)
        request.operation = self.operation
        request.headers = [("authorization", "Bearer \(token)")]
        if let body = self.body {
            request.headers.append(("content-type", "application/json"))
            request.body = body
        }
        return request
    }
}
