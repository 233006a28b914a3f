/// The configuration keys of trace export, with their names in OpenTelemetry.
extension ConfigurationKey {
    static let otelDisabled = Self(
        "OTEL_SDK_DISABLED",
        .fallback("false"),
        "true makes no spans, whatever the other keys say."
    )
    static let otelTracesExporter = Self(
        "OTEL_TRACES_EXPORTER",
        .fallback("otlp"),
        "otlp, or none for no spans."
    )
    static let otelEndpoint = Self(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        .optional,
        "Address of a collector, such as http://127.0.0.1:4318; /v1/traces is added. No spans are made without this or "
            + "the next."
    )
    static let otelTracesEndpoint = Self(
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        .optional,
        "Address for spans, used as it is, instead."
    )
    static let otelProtocol = Self(
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        .fallback("http/json"),
        "http/json; no other is written."
    )
    static let otelHeaders = Self(
        "OTEL_EXPORTER_OTLP_HEADERS",
        .optional,
        isSecret: true,
        "Fields of each request to the collector: name=value, separated by commas, percent-encoded."
    )
    static let otelTimeout = Self(
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        .fallback("10000"),
        "Milliseconds that one attempt to send spans may take."
    )
    static let otelServiceName = Self(
        "OTEL_SERVICE_NAME",
        .optional,
        "What spans say they are of; credit-wallet unless OTEL_RESOURCE_ATTRIBUTES has a service.name."
    )
    static let otelResourceAttributes = Self(
        "OTEL_RESOURCE_ATTRIBUTES",
        .optional,
        "What else spans say: name=value, separated by commas, percent-encoded, such as "
            + "deployment.environment.name=production."
    )
    static let otelSampler = Self(
        "OTEL_TRACES_SAMPLER",
        .fallback("parentbased_always_on"),
        "Which traces are recorded: always_on, always_off, traceidratio, or parentbased_ before one of them, which follows "
            + "the caller's traceparent where there is one."
    )
    static let otelSamplerArgument = Self(
        "OTEL_TRACES_SAMPLER_ARG",
        .fallback("1"),
        "The share of the traces that traceidratio records, from 0 to 1."
    )
    static let otelQueueSize = Self(
        "OTEL_BSP_MAX_QUEUE_SIZE",
        .fallback("2048"),
        "Spans that wait to be sent; further ones are dropped and counted."
    )
    static let otelBatchSize = Self(
        "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
        .fallback("512"),
        "Spans that one request to the collector carries; not more than wait."
    )
    static let otelDelay = Self(
        "OTEL_BSP_SCHEDULE_DELAY",
        .fallback("5000"),
        "Milliseconds between two requests to the collector, unless a batch is full before."
    )
    static let otelExportTimeout = Self(
        "OTEL_BSP_EXPORT_TIMEOUT",
        .fallback("30000"),
        "Milliseconds for which spans are sent again before they are dropped."
    )

    static let allOfTraces = [
        otelEndpoint, otelTracesEndpoint, otelProtocol, otelHeaders, otelTimeout, otelServiceName,
        otelResourceAttributes, otelSampler, otelSamplerArgument, otelTracesExporter, otelDisabled, otelQueueSize,
        otelBatchSize, otelDelay, otelExportTimeout,
    ]
}
