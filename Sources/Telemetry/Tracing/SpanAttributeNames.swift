import Tracing

/// The attributes of spans that leave the process: those of the semantic conventions that hold nothing of a user, and a
/// few of the wallet's own.
///
/// Libraries set others, such as the whole address of a call, which may hold a purchase; they are dropped.
enum SpanAttributeNames {
    static let errorType = "error.type"

    private static let status = "http.response.status_code"
    /// What AsyncHTTPClient calls the status still.
    private static let formerStatus = "http.status_code"
    private static let maximumLength = 256

    private static let exported = [
        "db.namespace", "db.operation.name", "db.query.summary", "db.response.status_code", "db.system.name", errorType,
        "http.request.body.size", "http.request.method", status, "http.route", "server.address", "server.port",
        "url.path", "url.scheme", "wallet.batch.size", "wallet.problem", "wallet.queue.name",
    ]

    /// What goes out of all that was set.
    ///
    /// - Parameters:
    ///   - attributes: What was set.
    ///   - kind: Which side of a call the span is: the path of an outgoing call may hold a purchase's id.
    /// - Returns: What may leave the process, by name.
    static func exported(_ attributes: SpanAttributes, of kind: SpanKind) -> [OTLPAttribute] {
        var attributes = attributes
        if let former = attributes.get(Self.formerStatus), attributes.get(Self.status) == nil {
            attributes[Self.status] = former
        }
        if kind == .client, attributes.get(Self.errorType) == nil, case .int64(let code)? = attributes.get(Self.status),
            code >= 400
        {
            attributes[Self.errorType] = "\(code)"
        }
        return Self.exported.compactMap { name in
            guard kind != .client || name != "url.path" else { return nil }
            return attributes.get(name).flatMap(Self.value).map { OTLPAttribute(name, $0) }
        }
    }

    private static func value(_ value: SpanAttribute) -> OTLPAttribute.Value? {
        switch value {
        case .string(let text): .string(String(text.prefix(Self.maximumLength)))
        case .int32(let number): .int(Int64(number))
        case .int64(let number): .int(number)
        case .bool(let flag): .bool(flag)
        case .double(let number) where number.isFinite: .double(number)
        default: nil
        }
    }
}
