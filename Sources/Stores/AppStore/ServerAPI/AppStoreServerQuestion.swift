import Foundation
import NIOHTTP1

/// A request to the App Store Server API, independent of the environment.
struct AppStoreServerQuestion: Sendable {
    let operation: StoreOperation
    var method = HTTPMethod.GET
    /// The path and query; every id in it has been escaped.
    var path: String
    var body: Data?

    /// Returns the HTTP request to one environment.
    /// - Parameters:
    ///   - baseURL: The base URL of the environment.
    ///   - token: The token that authenticates the service.
    /// - Returns: The request.
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
