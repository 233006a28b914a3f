import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// An app server that accepts and records every notification.
final class StoreReceiver: Sendable {
    /// One received request.
    struct Delivery: Sendable {
        let path: String
        let headers: HTTPFields
        let body: Data

        func header(_ name: String) -> String? {
            HTTPField.Name(name).flatMap { self.headers[$0] }
        }
    }

    private let state = Mutex<[Delivery]>([])

    var deliveries: [Delivery] { self.state.withLock { $0 } }

    /// Returns the requests to a path since the last call, oldest first.
    func take(_ path: String) -> [Delivery] {
        self.state.withLock { deliveries in
            let taken = deliveries.filter { $0.path == path }
            deliveries.removeAll { $0.path == path }
            return taken
        }
    }

    func application() -> some ApplicationProtocol {
        let router = Router()
        router.post(":store") { request, context in
            let body = try await request.body.collect(upTo: 1_000_000)
            let delivery = Delivery(
                path: try context.parameters.require("store"),
                headers: request.headers,
                body: Data(body.readableBytesView)
            )
            self.state.withLock { $0.append(delivery) }
            return HTTPResponse.Status.ok
        }
        return Application(router: router, logger: .silent)
    }
}
