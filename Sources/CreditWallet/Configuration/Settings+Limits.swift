import Stores
import WalletAPI

extension Settings {
    /// Returns the limits for clients.
    func limits() throws(CommandError) -> HTTPLimits {
        HTTPLimits(
            connections: try self.integer(.httpMaximumConnections, in: 0...10_000_000),
            connectionsPerAddress: try self.integer(.httpConnectionsPerAddress, in: 0...10_000_000),
            firstByteTimeout: .seconds(try self.integer(.httpFirstByteTimeout, in: 1...3_600)),
            headTimeout: .seconds(try self.integer(.httpHeadTimeout, in: 1...3_600)),
            bodyTimeout: .seconds(try self.integer(.httpBodyTimeout, in: 1...3_600)),
            headerBytes: try self.integer(.httpMaximumHeaderBytes, in: 1_024...1_048_576),
            headerCount: try self.integer(.httpMaximumHeaders, in: 10...10_000),
            requestsPerUser: try self.requests(.requestsPerUser),
            requestsPerAddress: try self.requests(.requestsPerAddress),
            trustedProxies: try self.networks(.trustedProxies)
        )
    }

    /// Returns the networks that calls to stores and key sets may reach; any flag for other hosts allows all networks.
    func reach() throws(CommandError) -> EgressPolicy {
        let flags: [ConfigurationKey] = [
            .outgoingAllowPrivate, .appStoreAllowOtherHosts, .revenueCatAllowOtherHosts, .googlePlayAllowOtherHosts,
        ]
        for flag in flags {
            if try self.flag(flag) { return .anywhere }
        }
        return .publicOnly
    }

    private func requests(_ key: ConfigurationKey) throws(CommandError) -> RateLimit? {
        let quota = try self.integer(key, in: 0...100_000_000)
        return quota == 0 ? nil : RateLimit(quota: quota, window: 60)
    }

    private func networks(_ key: ConfigurationKey) throws(CommandError) -> [InternetNetwork] {
        var networks: [InternetNetwork] = []
        for text in try self.optionalList(key) {
            guard let network = InternetNetwork(text) else {
                throw CommandError(
                    .configuration,
                    "\(key.name) must contain addresses such as 10.0.0.0/8 or 192.0.2.7."
                )
            }
            networks.append(network)
        }
        return networks
    }
}
