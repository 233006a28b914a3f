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

extension Logger.Level {
    /// Reads the minimum level of logged messages.
    ///
    /// - Configuration keys: `LOG_LEVEL`.
    init(reader: Settings) throws(CommandError) {
        self = try reader.choice(.logLevel, of: Self.self)
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
    static let metricsHost = Self(
        "METRICS_HOST",
        .fallback(MetricsConfiguration(port: 0).host),
        "Address of GET /metrics; users must not be able to reach it."
    )
    static let metricsPort = Self(
        "METRICS_PORT",
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

    static let allOfMetrics = [metricsHost, metricsPort, metricsInterval, invariantsInterval]
}

extension MetricsConfiguration {
    /// Reads the configuration of the metrics endpoint; nil if it is disabled.
    ///
    /// - Configuration keys: `METRICS_HOST`, `METRICS_PORT`, `METRICS_INTERVAL`, `INVARIANTS_INTERVAL`.
    init?(reader: Settings) throws(CommandError) {
        guard try reader.string(.metricsPort) != nil else { return nil }
        self.init(
            host: try reader.required(.metricsHost),
            port: try reader.integer(.metricsPort, in: 0...65_535),
            metricsInterval: try reader.interval(.metricsInterval),
            invariantsInterval: try reader.interval(.invariantsInterval)
        )
    }
}

/// The configuration keys of trace export, with their names in OpenTelemetry.
extension ConfigurationKey {
    private static let traces = OTLPConfiguration(url: "")

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
        .fallback(milliseconds: traces.timeout),
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
        .fallback(value: traces.queueSize),
        "Maximum spans that wait to be sent; further ones are dropped and counted."
    )
    static let otelBatchSize = Self(
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
        .fallback(value: traces.batchSize),
        "Maximum spans in one request to the collector, and never more than OTEL_BSP_MAX_QUEUE_SIZE."
    )
    static let otelDelay = Self(
        "OTEL_BSP_SCHEDULE_DELAY",
        .fallback(milliseconds: traces.scheduleDelay),
        "Milliseconds between two requests to the collector; a full batch is sent earlier."
    )
    static let otelExportTimeout = Self(
        "OTEL_BSP_EXPORT_TIMEOUT",
        .fallback(milliseconds: traces.exportTimeout),
        "Milliseconds for which sending is retried before spans are dropped."
    )

    static let allOfTraces = [
        otelEndpoint, otelTracesEndpoint, otelProtocol, otelHeaders, otelTimeout, otelServiceName,
        otelResourceAttributes, otelSampler, otelSamplerArgument, otelTracesExporter, otelDisabled, otelQueueSize,
        otelBatchSize, otelDelay, otelExportTimeout,
    ]
}

extension OTLPConfiguration {
    private enum Exporter: String, CaseIterable {
        case otlp
        case none
    }

    /// Reads the configuration of trace export; nil if it is disabled.
    ///
    /// - Configuration keys: `OTEL_SDK_DISABLED`, `OTEL_TRACES_EXPORTER`, `OTEL_EXPORTER_OTLP_ENDPOINT`,
    ///   `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `OTEL_EXPORTER_OTLP_PROTOCOL`, `OTEL_EXPORTER_OTLP_HEADERS`,
    ///   `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`,
    ///   `OTEL_EXPORTER_OTLP_TIMEOUT`, `OTEL_BSP_EXPORT_TIMEOUT`, `OTEL_BSP_SCHEDULE_DELAY`,
    ///   `OTEL_BSP_MAX_QUEUE_SIZE`, `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`.
    init?(reader: Settings) throws(CommandError) {
        guard try !reader.flag(.otelDisabled), try reader.choice(.otelTracesExporter, of: Exporter.self) == .otlp,
            let url = try reader.tracesURL()
        else { return nil }
        guard try reader.required(.otelProtocol) == "http/json" else {
            throw ConfigurationKey.otelProtocol.refused("must be http/json; no other protocol is supported.")
        }
        self.init(url: url)
        self.headers = try reader.tracesHeaders()
        self.resource = try reader.tracesResource()
        self.sampler = try TraceSampler(reader: reader)
        self.timeout = .milliseconds(try reader.integer(.otelTimeout, in: 1...600_000))
        self.exportTimeout = .milliseconds(try reader.integer(.otelExportTimeout, in: 1...600_000))
        self.scheduleDelay = .milliseconds(try reader.integer(.otelDelay, in: 1...600_000))
        self.queueSize = try reader.integer(.otelQueueSize, in: 1...1_000_000)
        self.batchSize = min(try reader.integer(.otelBatchSize, in: 1...1_000_000), self.queueSize)
    }
}

extension TraceSampler {
    /// Reads which traces are recorded.
    ///
    /// - Configuration keys: `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`.
    fileprivate init(reader: Settings) throws(CommandError) {
        let name = try reader.choice(.otelSampler, of: Name.self)
        guard let ratio = Double(try reader.required(.otelSamplerArgument)), (0...1).contains(ratio) else {
            throw ConfigurationKey.otelSamplerArgument.refused("must be a number from 0 to 1.")
        }
        self.init(name, ratio: ratio)
    }
}

extension Settings {
    fileprivate func tracesURL() throws(CommandError) -> String? {
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
            throw key.refused(
                "must be an http or https address without user, password and query. Put the collector's key into "
                    + "\(ConfigurationKey.otelHeaders.name)."
            )
        }
        return text
    }

    fileprivate func tracesHeaders() throws(CommandError) -> [String: String] {
        let headers = try self.pairs(.otelHeaders)
        for (name, value) in headers where HTTPField.Name(name) == nil || !HTTPField.isValidValue(value) {
            throw ConfigurationKey.otelHeaders.refused("contains an invalid header field.")
        }
        return headers
    }

    fileprivate func tracesResource() throws(CommandError) -> [String: String] {
        var resource = [
            "service.name": "credit-wallet", "service.version": VersionCommand.current,
            "service.instance.id": UUID().uuidString.lowercased(), "telemetry.sdk.language": "swift",
            "telemetry.sdk.name": "credit-wallet", "telemetry.sdk.version": VersionCommand.current,
        ]
        resource.merge(try self.pairs(.otelResourceAttributes)) { $1 }
        if let name = try self.string(.otelServiceName) { resource["service.name"] = name }
        return resource
    }

    /// Returns `name=value` pairs; names and values may be percent-encoded.
    private func pairs(_ key: ConfigurationKey) throws(CommandError) -> [String: String] {
        var pairs: [String: String] = [:]
        for pair in try self.string(key)?.split(separator: ",") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces).removingPercentEncoding }
            guard parts.count == 2, let name = parts[0], let value = parts[1], !name.isEmpty else {
                throw key.refused("must contain name=value pairs, separated by commas.")
            }
            pairs[name] = value
        }
        return pairs
    }
}
