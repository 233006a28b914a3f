import Foundation
import HTTPTypes
import Telemetry

extension Settings {
    private enum TracesExporter: String, CaseIterable {
        case otlp
        case none
    }

    /// Returns the settings of trace export; nil if it is disabled.
    func traces() throws(CommandError) -> OTLPConfiguration? {
        guard try !self.flag(.otelDisabled), try self.choice(.otelTracesExporter, of: TracesExporter.self) == .otlp,
            let url = try self.tracesURL()
        else { return nil }
        guard try self.required(.otelProtocol) == "http/json" else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.otelProtocol.name) must be http/json; no other protocol is supported."
            )
        }
        var traces = OTLPConfiguration(url: url)
        traces.headers = try self.tracesHeaders()
        traces.resource = try self.tracesResource()
        traces.sampler = try self.tracesSampler()
        traces.timeout = .milliseconds(try self.integer(.otelTimeout, in: 1...600_000))
        traces.exportTimeout = .milliseconds(try self.integer(.otelExportTimeout, in: 1...600_000))
        traces.scheduleDelay = .milliseconds(try self.integer(.otelDelay, in: 1...600_000))
        traces.queueSize = try self.integer(.otelQueueSize, in: 1...1_000_000)
        traces.batchSize = min(try self.integer(.otelBatchSize, in: 1...1_000_000), traces.queueSize)
        return traces
    }

    private func tracesURL() throws(CommandError) -> String? {
        let base = try self.string(.otelEndpoint)
        if let own = try self.string(.otelTracesEndpoint) { return try self.collector(own, .otelTracesEndpoint) }
        guard let base else { return nil }
        let url = try self.collector(base, .otelEndpoint)
        return url.hasSuffix("/") ? "\(url)v1/traces" : "\(url)/v1/traces"
    }

    /// Returns a collector's address; refuses one with a password, because logs contain the address.
    private func collector(_ text: String, _ key: ConfigurationKey) throws(CommandError) -> String {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host()?.isEmpty == false,
            url.user() == nil, url.query() == nil, url.fragment() == nil
        else {
            throw CommandError(
                .configuration,
                "\(key.name) must be an http or https address without user, password and query. Put the collector's "
                    + "key into \(ConfigurationKey.otelHeaders.name)."
            )
        }
        return text
    }

    private func tracesHeaders() throws(CommandError) -> [String: String] {
        let headers = try self.pairs(.otelHeaders)
        for (name, value) in headers where HTTPField.Name(name) == nil || !HTTPField.isValidValue(value) {
            let key = ConfigurationKey.otelHeaders.name
            throw CommandError(.configuration, "\(key) contains an invalid header field.")
        }
        return headers
    }

    private func tracesResource() throws(CommandError) -> [String: String] {
        var resource = [
            "service.name": "credit-wallet", "service.version": VersionCommand.current,
            "service.instance.id": UUID().uuidString.lowercased(), "telemetry.sdk.language": "swift",
            "telemetry.sdk.name": "credit-wallet", "telemetry.sdk.version": VersionCommand.current,
        ]
        resource.merge(try self.pairs(.otelResourceAttributes)) { $1 }
        if let name = try self.string(.otelServiceName) { resource["service.name"] = name }
        return resource
    }

    private func tracesSampler() throws(CommandError) -> TraceSampler {
        let name = try self.choice(.otelSampler, of: TraceSampler.Name.self)
        guard let ratio = Double(try self.required(.otelSamplerArgument)), (0...1).contains(ratio) else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.otelSamplerArgument.name) must be a number from 0 to 1."
            )
        }
        return TraceSampler(name, ratio: ratio)
    }

    /// Returns `name=value` pairs; names and values may be percent-encoded.
    private func pairs(_ key: ConfigurationKey) throws(CommandError) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in try self.string(key)?.split(separator: ",") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces).removingPercentEncoding }
            guard parts.count == 2, let name = parts[0], let value = parts[1], !name.isEmpty else {
                throw CommandError(.configuration, "\(key.name) must contain name=value pairs, separated by commas.")
            }
            pairs[name] = value
        }
        return pairs
    }
}
