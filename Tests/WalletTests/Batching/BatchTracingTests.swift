import InMemoryTracing
import Testing
import Tracing

@testable import Wallet

/// Tests the tracing spans of items that one batch decides.
@Suite struct BatchTracingTests {
    @Test func `a batch belongs to its first item's trace and links to the others`() async throws {
        let tracer = InMemoryTracer()
        let queue = BatchQueue<Int, Int>(
            BatchingConfiguration(),
            tracing: QueueTracing(tracer, queue: "numbers")
        ) { items in
            // Spans that the batch starts belong to the batch's span.
            tracer.startSpan("statement").end()
            return items.map { $0 == 3 ? .failure(.overloaded) : .success($0) }
        }
        queue.hold()
        let requests = (1...4).map { tracer.startSpan("request \($0)") }
        await withTaskGroup(of: Void.self) { group in
            for (place, request) in requests.enumerated() {
                // The last item has no trace, like work that the service starts itself.
                let context = place < 3 ? request.context : nil
                group.addTask {
                    await ServiceContext.$current.withValue(context) { _ = try? await queue.submit(place + 1) }
                }
                while queue.depth <= place { await Task.yield() }
            }
            queue.release()
        }

        let spans = tracer.finishedSpans
        let items = spans.filter { $0.operationName == "numbers queue" }
        #expect(Set(items.compactMap(\.parentSpanID)) == Set(requests.prefix(3).map(\.spanID)))
        let batch = try #require(spans.first { $0.operationName == "numbers batch" })
        let first = try #require(items.first { $0.parentSpanID == requests[0].spanID })
        #expect(batch.parentSpanID == first.spanID)
        #expect(batch.attributes.get("wallet.batch.size") == 4)
        #expect(batch.attributes.get("wallet.queue.name") == "numbers")
        let others = items.filter { $0.spanID != first.spanID }
        #expect(Set(batch.links.compactMap { $0.context.inMemorySpanContext?.spanID }) == Set(others.map(\.spanID)))
        #expect(others.allSatisfy { $0.links.first?.context.inMemorySpanContext?.spanID == batch.spanID })
        #expect(spans.first { $0.operationName == "statement" }?.parentSpanID == batch.spanID)
        let failed = items.filter { $0.status?.code == .error }
        #expect(failed.map(\.parentSpanID) == [requests[2].spanID])
        #expect(failed.first?.attributes.get("error.type") == "overloaded")
    }

    @Test func `an item without a trace creates no span`() async throws {
        let tracer = InMemoryTracer()
        #expect(QueueTracing(nil, queue: "numbers") == nil)
        let queue = BatchQueue<Int, Int>(
            BatchingConfiguration(),
            tracing: QueueTracing(tracer, queue: "numbers")
        ) { $0.map { .success($0) } }
        #expect(try await queue.submit(1) == 1)
        #expect(tracer.finishedSpans.isEmpty)
    }
}
