import Tracing

/// Creates spans for the time that items wait in a queue, and for their batches.
///
/// A batch serves several requests. Its span is a child of the first recorded item's span; the batch's span and the
/// spans of the other items link to each other.
struct QueueTracing: Sendable {
    let tracer: any Tracer
    let queue: String

    /// Creates the tracing of a queue; returns `nil` without a tracer.
    init?(_ tracer: (any Tracer)?, queue: String) {
        guard let tracer else { return nil }
        self.tracer = tracer
        self.queue = queue
    }

    /// Starts the span of an item in the queue; returns `nil` if the item is not recorded.
    func submitted() -> (any Span)? {
        guard let context = ServiceContext.current else { return nil }
        let span = self.tracer.startSpan("\(self.queue) queue", context: context, ofKind: .internal)
        guard span.isRecording else { return nil }
        span.attributes["wallet.queue.name"] = self.queue
        return span
    }

    /// Starts the span of a batch; returns `nil` if none of its items is recorded.
    ///
    /// - Parameters:
    ///   - items: The spans of its items.
    ///   - size: The number of its items.
    /// - Returns: The batch's span.
    func started(_ items: [any Span], size: Int) -> (any Span)? {
        guard let first = items.first else { return nil }
        let span = self.tracer.startSpan("\(self.queue) batch", context: first.context, ofKind: .internal)
        span.updateAttributes { attributes in
            attributes["wallet.queue.name"] = self.queue
            attributes["wallet.batch.size"] = size
        }
        for item in items.dropFirst() {
            span.addLink(SpanLink(context: item.context, attributes: [:]))
            item.addLink(SpanLink(context: span.context, attributes: [:]))
        }
        return span
    }

    /// Ends the span of an item.
    static func end(_ span: any Span, failed error: WalletError?) {
        if let error {
            span.attributes["error.type"] = error.slug
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}
