import Foundation
import HTTPTypes
import HummingbirdTesting
import SandboxStores
import Testing

@Suite
struct StoreFaultTests {
    @Test
    func `a fault of one store API does not affect the other`() async throws {
        try await Faces.run { faces in
            let token = try #require(try await faces.buy(premium).text("purchase_token"))
            let publisher = try await faces.publisher()
            let key = "Bearer \(Faces.apiKey)"
            try await faces.control("faults", ["status": 503, "target": "play", "body": "{}"])
            #expect(try await faces.call(.get, "/v1/subscribers/ann", authorization: key).status == 200)
            #expect(try await publisher.subscription(token).status == 503)
            #expect(try await publisher.subscription(token).status == 200)
            try await faces.control("faults", ["status": 500, "target": "revenuecat", "body": "{}"])
            #expect(try await publisher.subscription(token).status == 200)
            #expect(try await faces.call(.get, "/v1/subscribers/ann", authorization: key).status == 500)
            #expect(try await faces.call(.get, "/v1/subscribers/ann", authorization: key).status == 200)
        }
    }

    @Test
    func `stores without RevenueCat and Google Play have none of their routes`() async throws {
        try await Stores.run { stores async throws in
            for path in ["/oauth2/v3/certs", "/v1/subscribers/ann"] {
                try await stores.client.execute(uri: path, method: .get) { #expect($0.status == .notFound) }
            }
        }
    }
}
