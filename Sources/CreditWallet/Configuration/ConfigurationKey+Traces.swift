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
