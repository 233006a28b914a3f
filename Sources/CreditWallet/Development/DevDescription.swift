import Foundation

/// The contents of `dev.json`, which `dev` writes for tests and scripts once all services are ready.
struct DevDescription: Codable, Sendable {
    let httpURL: String
    let storeURL: String
    let databaseURL: String
    let demoUser: String
    let demoToken: String
    let operatorToken: String
    let revenueCatAuthorization: String
    /// The address of the metrics endpoint; nil if it is disabled.
    let adminURL: String?

    private enum CodingKeys: String, CodingKey {
        case httpURL = "http_url"
        case storeURL = "store_url"
        case databaseURL = "database_url"
        case demoUser = "demo_user"
        case demoToken = "demo_token"
        case operatorToken = "operator_token"
        case revenueCatAuthorization = "revenuecat_authorization"
        case adminURL = "admin_url"
    }

    /// Writes the file atomically, readable only by its owner.
    func write(to directory: DataDirectory) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(self), as: UTF8.self)
        try directory.writePrivately("\(json)\n", to: directory.description)
    }

    /// Reads the file that a running `dev` wrote into a directory.
    static func read(from directory: DataDirectory) throws(CommandError) -> DevDescription {
        let data = FileManager.default.contents(atPath: directory.description)
        guard let data, let description = try? JSONDecoder().decode(Self.self, from: data) else {
            let message = "Cannot read \(directory.description); is credit-wallet dev running there?"
            throw CommandError(.configuration, message)
        }
        return description
    }

    /// Removes the file of an earlier run or of this one.
    static func remove(from directory: DataDirectory) throws(CommandError) {
        guard unlink(directory.description) == 0 || errno == ENOENT else {
            throw CommandError(.system, "Cannot remove \(directory.description).")
        }
    }
}
