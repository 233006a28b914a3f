/// The meaning of a status of the verification endpoint for the call.
enum VerifyReceiptVerdict: Equatable {
    /// The store confirms the receipt.
    case ok
    /// The receipt belongs to the other store environment.
    case otherSide
    /// A temporary failure of the store; try again.
    case again(isOutage: Bool)
    /// A malformed receipt or a temporary failure; the store does not distinguish them. Try once more, then reject.
    case retryOnce
    /// The store refuses our request or our secret.
    case misconfigured
    /// The store does not confirm the receipt.
    case rejected
    /// Not an answer of the store.
    case nonsense

    /// Derives the verdict from an answer.
    ///
    /// | status | verdict |
    /// |---|---|
    /// | 0; 21006 with the receipt decoded (old-style subscriptions that have ended) | ok |
    /// | 21007 from production, 21008 from the sandbox | the other side |
    /// | 21002 | once more |
    /// | 21005, 21009 | again, an outage |
    /// | 21100 to 21199 unless marked as not retryable | again |
    /// | 21000, 21004 | misconfigured |
    /// | everything else | rejected |
    init(of answer: VerifyReceiptAnswer, from side: StoreEnvironment) {
        switch answer.status {
        case 0: self = answer.receipt == nil ? .nonsense : .ok
        case 21_006: self = answer.receipt == nil ? .rejected : .ok
        case 21_007: self = side == .production ? .otherSide : .nonsense
        case 21_008: self = side == .sandbox ? .otherSide : .nonsense
        case 21_002: self = .retryOnce
        case 21_005, 21_009: self = .again(isOutage: true)
        case 21_100...21_199: self = answer.isRetryable ? .again(isOutage: false) : .rejected
        case 21_000, 21_004: self = .misconfigured
        default: self = .rejected
        }
    }

    /// The health of the environment that the verdict implies.
    var health: CircuitBreaker.Outcome {
        switch self {
        case .again(isOutage: true): .outage
        case .again, .nonsense: .inconclusive
        case .ok, .otherSide, .retryOnce, .misconfigured, .rejected: .working
        }
    }
}
