/// The meaning of a status and an error code of the App Store Server API for the call.
enum AppStoreServerVerdict: Equatable {
    /// The store answered the request.
    case ok
    /// This environment does not find the transaction; the other one may.
    case notHere
    /// The environment refuses our token or does not find the app.
    case unauthorized
    /// A temporary failure; try again.
    case again(isOutage: Bool)
    /// Too many calls.
    case limited
    /// The store rejects the request; repeating it does not help.
    case rejected
    /// Not an answer of the store.
    case nonsense

    /// Derives the verdict from an answer.
    ///
    /// | HTTP status, error code | verdict |
    /// |---|---|
    /// | 200 to 299 | ok |
    /// | 4290000, or 429 | limited |
    /// | 4040002, 4040004, 4040006 (marked by the store as retryable) | again |
    /// | 5000000, 5000001, or 500 and above | again, an outage |
    /// | 401 | unauthorized |
    /// | 4040001, 4040005, 4040010 (account, original transaction, transaction) | not here |
    /// | 400 to 499 with any other code | rejected |
    /// | everything else, such as a proxy's 404 page | nonsense |
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - errorCode: The code in the answer's body, nil if the body has none.
    init(status: Int, errorCode: Int?) {
        switch (status, errorCode) {
        case (200..<300, _): self = .ok
        case (_, 4_290_000), (429, _): self = .limited
        case (_, 4_040_002), (_, 4_040_004), (_, 4_040_006): self = .again(isOutage: false)
        case (_, 5_000_000), (_, 5_000_001), (500..., _): self = .again(isOutage: true)
        case (401, _): self = .unauthorized
        case (404, 4_040_001), (404, 4_040_005), (404, 4_040_010): self = .notHere
        case (400..<500, .some): self = .rejected
        default: self = .nonsense
        }
    }

    /// The health of the environment that the verdict implies.
    var health: CircuitBreaker.Outcome {
        switch self {
        case .ok, .notHere, .unauthorized, .rejected, .limited: .working
        case .again(let isOutage): isOutage ? .outage : .working
        case .nonsense: .inconclusive
        }
    }
}
