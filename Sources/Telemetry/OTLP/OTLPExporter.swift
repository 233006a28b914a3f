import AsyncHTTPClient
import Foundation
import JSON
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Sends spans to a collector with OTLP/HTTP in JSON.
struct OTLPExporter: Sendable {
    /// The outcome of a batch.
    enum Outcome: Sendable, Equatable {
        /// The collector accepted the batch except for this number of spans.
        case exported(rejected: Int)
        /// The export failed with a status or a kind of failure; the collector may have requested a pause.
        case failed(String, rest: Duration)
        /// The task was cancelled; the collector may or may not have accepted the batch.
        case interrupted
    }

    private enum Attempt: Sendable {
        case over(Outcome)
        case again(String, after: Duration?)
    }

    private static let maximumAnswer = 64 * 1_024
    private static let firstPause: Duration = .milliseconds(500)
    private static let longestPause: Duration = .seconds(60)

    let configuration: OTLPConfiguration
    let httpClient: HTTPClient

    /// Sends a batch and retries after temporary failures until a deadline.
    func export(_ spans: [OTLPSpan], before deadline: ContinuousClock.Instant) async -> Outcome {
        let body: Data
        do {
            body = try OTLPRequest(spans, resource: self.configuration.resource).json()
        } catch {
            return .failed("encoding", rest: .zero)
        }
        var usual = Self.firstPause
        while true {
            let timeout = min(self.configuration.timeout, ContinuousClock.now.duration(to: deadline))
            guard timeout > .zero else { return .failed("timeout", rest: .zero) }
            let attempt = await self.attempt(body, timeout: timeout)
            if Task.isCancelled { return .interrupted }
            switch attempt {
            case .over(let outcome): return outcome
            case .again(let reason, let wanted):
                let pause = min(wanted ?? usual * Double.random(in: 0.75...1.25), Self.longestPause)
                guard ContinuousClock.now + pause < deadline else { return .failed(reason, rest: wanted ?? .zero) }
                // The sleep ends early only if the service stops, which is checked next.
                try? await Task.sleep(for: pause)
                if Task.isCancelled { return .interrupted }
                usual = min(usual * 2, Self.longestPause)
            }
        }
    }

    private func attempt(_ body: Data, timeout: Duration) async -> Attempt {
        var request = HTTPClientRequest(url: self.configuration.url)
        request.method = .POST
        for (name, value) in self.configuration.headers { request.headers.add(name: name, value: value) }
        request.headers.replaceOrAdd(name: "content-type", value: "application/json")
        request.headers.replaceOrAdd(name: "user-agent", value: "OTel-OTLP-Exporter-Swift/credit-wallet")
        request.body = .bytes(ByteBuffer(data: body))
        do {
            let response = try await self.httpClient.execute(request, deadline: .now() + TimeAmount(timeout))
            let answer = try await response.body.collect(upTo: Self.maximumAnswer)
            let retryAfter = response.headers.first(name: "retry-after")
            return Self.judge(Int(response.status.code), retryAfter, Data(buffer: answer))
        } catch is NIOTooManyBytesError {
            return .over(.failed("answer_too_large", rest: .zero))
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            return .again("timeout", after: nil)
        } catch {
            return .again("unreachable", after: nil)
        }
    }

    private static func judge(_ status: Int, _ retryAfter: String?, _ body: Data) -> Attempt {
        switch status {
        case 200..<300:
            // A response without JSON means full success: only a partial success requires a body.
            let answer = try? JSONDecoder().decode(OTLPResponse.self, external: body)
            return .over(.exported(rejected: answer?.partialSuccess?.rejectedSpans ?? 0))
        case 429, 502, 503, 504:
            return .again("\(status)", after: retryAfter.flatMap { Int($0) }.map { .seconds(min(max($0, 0), 3_600)) })
        default:
            return .over(.failed("\(status)", rest: .zero))
        }
    }
}
