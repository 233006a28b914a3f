import CommandOutput
import Configuration
import Foundation
import Telemetry
import Testing

@testable import CreditWallet

/// Tests of the span export's settings, which use OpenTelemetry's variable names.
@Suite struct TracesConfigurationTests {
    private func traces(_ environment: [String: String]) throws -> OTLPConfiguration? {
        let provider = EnvironmentVariablesProvider(environmentVariables: environment)
        return try OTLPConfiguration(reader: Settings(reader: ConfigReader(provider: provider)))
    }

    @Test(arguments: [
        [:], ["OTEL_SERVICE_NAME": "wallet", "OTEL_TRACES_EXPORTER": "otlp"],
        ["OTEL_EXPORTER_OTLP_ENDPOINT": ""],
        ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"],
        ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"],
        // When the export is off, other variables are not validated.
        ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
    ])
    func `without an address, or when switched off, no spans are exported`(environment: [String: String]) throws {
        #expect(try self.traces(environment) == nil)
    }

    @Test(arguments: [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318", "http://collector:4318/v1/traces"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector/otlp/", "https://collector/otlp/v1/traces"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector/here", "https://collector/here"),
    ])
    func `addresses follow OpenTelemetry's rules`(key: String, value: String, url: String) throws {
        #expect(try self.traces([key: value])?.url == url)
        let both = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://other:1"].merging([key: value]) { $1 }
        #expect(try self.traces(both)?.url == url)
    }

    @Test func `the defaults are OpenTelemetry's`() throws {
        let traces = try #require(try self.traces(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]))
        var defaults = OTLPConfiguration(url: "http://collector:4318/v1/traces")
        defaults.resource = traces.resource
        #expect(traces == defaults)
        #expect(traces.resource["service.name"] == "credit-wallet")
        #expect(traces.resource["service.version"] == VersionCommand.current)
        #expect(traces.resource["telemetry.sdk.language"] == "swift")
    }

    @Test func `every variable is read`() throws {
        let traces = try #require(
            try self.traces([
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
                "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%2Cb, other=c=d", "OTEL_EXPORTER_OTLP_TIMEOUT": "1500",
                "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=prod%20uction,service.name=left",
                "OTEL_SERVICE_NAME": "wallet", "OTEL_TRACES_SAMPLER": "parentbased_traceidratio",
                "OTEL_TRACES_SAMPLER_ARG": "0.25", "OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_SCHEDULE_DELAY": "50",
                "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "20", "OTEL_BSP_EXPORT_TIMEOUT": "2000",
            ])
        )
        #expect(traces.headers == ["api-key": "a,b", "other": "c=d"])
        #expect(traces.timeout == .milliseconds(1_500))
        #expect(traces.resource["deployment.environment.name"] == "prod uction")
        #expect(traces.resource["service.name"] == "wallet")
        #expect(traces.sampler == TraceSampler(.parentBasedRatio, ratio: 0.25))
        #expect((traces.queueSize, traces.batchSize) == (100, 20))
        #expect(traces.scheduleDelay == .milliseconds(50))
        #expect(traces.exportTimeout == .seconds(2))
    }

    @Test(arguments: [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:pass@collector"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "ftp://collector"), ("OTEL_EXPORTER_OTLP_HEADERS", "a-secret"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "na me=a-secret"), ("OTEL_EXPORTER_OTLP_HEADERS", "name=a-secret%0Ab"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s"), ("OTEL_RESOURCE_ATTRIBUTES", "=value"),
        ("OTEL_TRACES_SAMPLER", "sometimes"), ("OTEL_TRACES_SAMPLER_ARG", "1.5"), ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("OTEL_SDK_DISABLED", "maybe"), ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
    ])
    func `an invalid variable is refused by its name, and its value is not shown`(key: String, value: String) throws {
        let environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"].merging([key: value]) { $1 }
        let error = try #require(throws: CommandError.self) { try self.traces(environment) }
        #expect("\(error)".contains(key))
        #expect(!"\(error)".contains("a-secret") && !"\(error)".contains("pass@"))
    }
}
