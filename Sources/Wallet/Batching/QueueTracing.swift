import Tracing

/// Makes spans of waiting in a queue and of the batches that end it.
///
/// A batch is done for several requests: its span is a child of the first one's that is recorded, and it and the others'
/// are linked with each other.
struct QueueTracing: Sendable {
    let tracer: any Tracer
    let queue: String

    /// Makes the tracing of a queue, nil where nobody records.
    init?(_ tracer: (any Tracer)?, queue: String) {
        guard let tracer else { return nil }
        self.tracer = tracer
        self.queue = queue
    }

    /// Begins an item's way through the queue; nil where it is not recorded.
    func submitted() -> (any Span)? {
        guard let context = ServiceContext.current else { return nil }
        let span = self.tracer.startSpan("\(self.queue) queue", context: context, ofKind: .internal)
        guard span.isRecording else { return nil }
        span.attributes["wallet.queue.name"] = self.queue
        return span
    }

    /// Begins a batch; nil where none of its items is recorded.
    ///
    /// - Parameters:
    ///   - items: The spans of its items.
    ///   - size: How many items it has.
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

    /// Ends an item's way.
    static func end(_ span: any Span, failed error: WalletError?) {
        if let error {
            span.attributes["error.type"] = error.slug
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}
