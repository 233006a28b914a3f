import Hummingbird

/// Creates the responses of all functions of the Supabase API.
struct SupabaseResponder {
    func answer<Value: Encodable & Sendable>(
        _ value: Value,
        _ context: UserRequestContext
    ) -> JSONAnswer<Envelope<Value>> {
        JSONAnswer(Envelope(value, requestID: context.requestID))
    }

    func answer<Item: Encodable & Sendable>(
        _ rows: [Item],
        of total: Int,
        _ part: OffsetQuery,
        _ context: UserRequestContext
    ) -> JSONAnswer<Envelope<[Item]>> {
        JSONAnswer(Envelope(rows, of: total, part: part, requestID: context.requestID))
    }
}
