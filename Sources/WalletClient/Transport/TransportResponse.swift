import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A complete HTTP response.
struct TransportResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: Data

    func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name }?.value
    }
}

extension TransportResponse {
    init(_ response: HTTPURLResponse, _ body: Data) {
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}
