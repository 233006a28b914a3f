import Foundation

/// The contents of `dev.json`, which `dev` writes.
struct DevDescription: Decodable, Sendable {
    let httpURL: String
    let storeURL: String
    let databaseURL: String
    let demoToken: String
    let operatorToken: String
    let revenueCatAuthorization: String
    let metricsURL: String?

    private enum CodingKeys: String, CodingKey {
        case httpURL = "http_url"
        case storeURL = "store_url"
        case databaseURL = "database_url"
        case demoToken = "demo_token"
        case operatorToken = "operator_token"
        case revenueCatAuthorization = "revenuecat_authorization"
        case metricsURL = "metrics_url"
    }

    static func path(in directory: String) -> String { "\(directory)/dev.json" }

    /// Reads the file; returns nil while it does not exist.
    static func read(in directory: String) throws -> DevDescription? {
        guard let data = FileManager.default.contents(atPath: self.path(in: directory)) else { return nil }
        return try JSONDecoder().decode(DevDescription.self, from: data)
    }
}
