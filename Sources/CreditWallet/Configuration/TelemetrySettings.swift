import CommandOutput
import Foundation
import HTTPTypes
import Logging
import Telemetry

extension ConfigurationKey {
    static let logLevel = Self(
        "LOG_LEVEL",
        .fallback("info"),
        "trace, debug, info, notice, warning, error or critical."
    )
}

extension Settings {
    /// Returns the minimum level of logged messages.
    func logLevel() throws(CommandError) -> Logger.Level {
        try self.choice(.logLevel, of: Logger.Level.self)
    }
}

extension Logger {
    /// Configures all logging of the process as JSON on standard output, and returns the executable's logger.
    ///
    /// Call it once, before anything is logged.
    static func bootstrapped(level: Logger.Level) -> Logger {
        LoggingSystem.bootstrap { label in
            JSONLogHandler(label: label, logLevel: level, metadataProvider: .trace)
        }
        return Logger(label: "credit-wallet")
    }
}

/// The keys of the metrics endpoint.
extension ConfigurationKey {
    static let adminHost = Self(
        "ADMIN_HOST",
        .fallback("127.0.0.1"),
        "Address of GET /metrics; users must not be able to reach it."
    )
    static let adminPort = Self(
        "ADMIN_PORT",
        .optional,
        "Port of GET /metrics, in Prometheus' format. Without it, no metrics are collected."
    )
    static let metricsInterval = Self(
        "METRICS_INTERVAL",
        .fallback("60"),
        "Seconds between two readings of wallet totals and of waiting items. Each reading reads all lots. 0 disables "
            + "it on this instance."
    )
    static let invariantsInterval = Self(
        "INVARIANTS_INTERVAL",
        .fallback("3600"),
        "Seconds between two counts of broken invariants. Each count reads the changes since the last one. 0 disables "
            + "it on this instance."
    )

    static let allOfAdmin = [adminHost, adminPort, metricsInterval, invariantsInterval]
}

/// The address of the metrics endpoint, and the intervals at which the ledger's metrics are sampled.
struct AdminConfiguration: Sendable, Equatable {
    var host = "127.0.0.1"
    var port: Int
    /// The interval at which totals and backlogs are read; nil disables it.
    var metricsInterval: Duration?
    /// The interval at which the invariants are checked; nil disables it.
    var invariantsInterval: Duration?
}

extension Settings {
    /// Returns the settings of the metrics endpoint; nil if it is disabled.
    func admin() throws(CommandError) -> AdminConfiguration? {
        guard try self.string(.adminPort) != nil else { return nil }
        return AdminConfiguration(
            host: try self.required(.adminHost),
            port: try self.integer(.adminPort, in: 0...65_535),
            metricsInterval: try self.interval(.metricsInterval),
            invariantsInterval: try self.interval(.invariantsInterval)
        )
    }
}

/// The configuration keys of trace export, with their names in OpenTelemetry.
extension ConfigurationKey {
    static let otelDisabled = Self(
        "OTEL_SDK_DISABLED",
        .fallback("false"),
        "true disables spans, whatever the other keys contain."
    )
    static let otelTracesExporter = Self(
        "OTEL_TRACES_EXPORTER",
        .fallback("otlp"),
        "otlp, or none to disable spans."
    )
    static let otelEndpoint = Self(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        .optional,
        "Address of a collector, such as http://127.0.0.1:4318; /v1/traces is appended. Without this key or the next, "
            + "no spans are created."
    )
    static let otelTracesEndpoint = Self(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        .optional,
        "Address for spans, used unchanged; it replaces the address above."
    )
    static let otelProtocol = Self(
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        .fallback("http/json"),
        "Only http/json is supported."
    )
    static let otelHeaders = Self(
        "OTEL_EXPORTER_OTLP_HEADERS",
        .optional,
        isSecret: true,
        "Header fields of each request to the collector: name=value, separated by commas, percent-encoded."
    )
    static let otelTimeout = Self(
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        .fallback("10000"),
        "Maximum milliseconds of one attempt to send spans."
    )
    static let otelServiceName = Self(
        "OTEL_SERVICE_NAME",
        .optional,
        "The spans' service.name. Without it, service.name of OTEL_RESOURCE_ATTRIBUTES, or credit-wallet."
    )
    static let otelResourceAttributes = Self(
        "OTEL_RESOURCE_ATTRIBUTES",
        .optional,
        "Further resource attributes of the spans: name=value, separated by commas, percent-encoded, such as "
            + "deployment.environment.name=production."
    )
    static let otelSampler = Self(
        "OTEL_TRACES_SAMPLER",
        .fallback("parentbased_always_on"),
        "Traces to record: always_on, always_off or traceidratio. With the prefix parentbased_, the caller's "
            + "traceparent decides if there is one."
    )
    static let otelSamplerArgument = Self(
        "OTEL_TRACES_SAMPLER_ARG",
        .fallback("1"),
        "The share of traces that traceidratio records, from 0 to 1."
    )
    static let otelQueueSize = Self(
        "OTEL_BSP_MAX_QUEUE_SIZE",
        .fallback("2048"),
        "Maximum spans that wait to be sent; further ones are dropped and counted."
    )
    static let otelBatchSize = Self(
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
        .fallback("512"),
        "Maximum spans in one request to the collector, and never more than OTEL_BSP_MAX_QUEUE_SIZE."
    )
    static let otelDelay = Self(
        "OTEL_BSP_SCHEDULE_DELAY",
        .fallback("5000"),
        "Milliseconds between two requests to the collector; a full batch is sent earlier."
    )
    static let otelExportTimeout = Self(
        "OTEL_BSP_EXPORT_TIMEOUT",
        .fallback("30000"),
        "Milliseconds for which sending is retried before spans are dropped."
    )

    static let allOfTraces = [
        otelEndpoint, otelTracesEndpoint, otelProtocol, otelHeaders, otelTimeout, otelServiceName,
        otelResourceAttributes, otelSampler, otelSamplerArgument, otelTracesExporter, otelDisabled, otelQueueSize,
        otelBatchSize, otelDelay, otelExportTimeout,
    ]
}

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
