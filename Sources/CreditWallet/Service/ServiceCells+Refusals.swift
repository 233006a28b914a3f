import Stores
import WalletAPI

extension ServiceCells {
    /// Settings that must differ between wallets, and why.
    private static let owned:
        [(key: ConfigurationKey, harm: String, values: @Sendable (ServiceConfiguration) -> [String])] = [
            (.appStoreBundleIDs, Self.twice, { Array($0.stores.receipts?.bundleIDs ?? []) }),
            (.googlePlayPackageName, Self.twice, { $0.stores.googlePlay.map { [$0.packageName] } ?? [] }),
            // The settings that identify a project: its key, and the secrets of its webhook.
            (.revenueCatAPIKey, Self.twice, { $0.stores.revenueCat.map { [$0.secretKey] } ?? [] }),
            (.revenueCatAuthorization, Self.twice, { $0.stores.revenueCatWebhook?.authorizations ?? [] }),
            (.revenueCatSigningSecret, Self.twice, { $0.stores.revenueCatWebhook?.signingSecrets ?? [] }),
            // Each wallet numbers its events from 1.
            (
                .eventsURL, "its receiver would mistake events of one wallet for duplicates of the other's",
                { $0.work.events.map { [$0.url] } ?? [] }
            ),
        ]
    private static let twice = "a purchase would be granted in both wallets"

    /// Refuses an app, a project or an event endpoint that two wallets share.
    func refuseCommonValues() throws(CommandError) {
        for (key, harm, values) in Self.owned {
            var owners: [String: String] = [:]
            for (name, configuration) in self.cells {
                for value in Set(values(configuration)) {
                    guard let other = owners.updateValue(name, forKey: value) else { continue }
                    throw CommandError(
                        .configuration,
                        "\(key.name) must not have the same value for \(other) and \(name): \(harm)."
                    )
                }
            }
        }
    }

    /// Refuses a port that two listeners of the process share.
    func refuseCommonPorts() throws(CommandError) {
        var listeners = [
            (key: ConfigurationKey.httpPort.name, address: ListenAddress(host: self.http.host, port: self.http.port))
        ]
        if let admin = self.admin {
            listeners.append((ConfigurationKey.adminPort.name, ListenAddress(host: admin.host, port: admin.port)))
        }
        for (name, configuration) in self.cells {
            guard let pages = configuration.http.operatorPages else { continue }
            listeners.append(("\(ConfigurationKey.consolePort.name) of \(name)", pages))
        }
        for (place, listener) in listeners.enumerated() {
            guard let other = listeners[..<place].first(where: { $0.address.meets(listener.address) }) else { continue }
            throw CommandError(
                .configuration,
                "\(other.key) and \(listener.key) use the same port of one host; choose different ports."
            )
        }
    }
}

extension ListenAddress {
    /// The addresses that mean all interfaces of a machine.
    private static let everywhere: Set = ["0.0.0.0", "::"]

    /// Returns whether two addresses conflict; port 0 never conflicts, because each listener gets a different free
    /// port.
    fileprivate func meets(_ other: ListenAddress) -> Bool {
        self.port != 0 && self.port == other.port
            && (self.host == other.host || !Self.everywhere.isDisjoint(with: [self.host, other.host]))
    }
}
