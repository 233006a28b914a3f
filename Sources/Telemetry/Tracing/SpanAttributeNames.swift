import Tracing

/// The span attributes that are exported: attributes of the semantic conventions without user data, and some of the
/// wallet's own.
///
/// Libraries set other attributes, such as the full URL of a call, which may contain a purchase; they are dropped.
enum SpanAttributeNames {
    static let errorType = "error.type"

    private static let status = "http.response.status_code"
    /// AsyncHTTPClient's older name of the status attribute.
    private static let formerStatus = "http.status_code"
    private static let maximumLength = 256

    private static let exported = [
        "db.namespace", "db.operation.name", "db.query.summary", "db.response.status_code", "db.system.name", errorType,
        "http.request.body.size", "http.request.method", status, "http.route", "server.address", "server.port",
        "url.path", "url.scheme", "wallet.batch.size", "wallet.problem", "wallet.queue.name",
    ]

    /// Returns the attributes to export.
    ///
    /// - Parameters:
    ///   - attributes: All attributes of the span.
    ///   - kind: The kind of span. For a client span the path is dropped, since it may contain a purchase's id.
    /// - Returns: The exported attributes in a fixed order.
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
