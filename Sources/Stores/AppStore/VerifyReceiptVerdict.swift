/// What a status of the verification endpoint means for the call that got it.
enum VerifyReceiptVerdict: Equatable {
    /// The store stands by the receipt.
    case ok
    /// The receipt belongs to the other side of the store.
    case otherSide
    /// A passing failure of the store; try again.
    case again(isOutage: Bool)
    /// Malformed or a passing failure, the store does not say which: try once more, then reject.
    case retryOnce
    /// The store refuses our request or our secret.
    case misconfigured
    /// The store does not stand by the receipt.
    case rejected
    /// No store gives this answer.
    case nonsense

    /// Judges an answer.
    ///
    /// | status | verdict |
    /// |---|---|
    /// | 0; 21006 with the receipt decoded (old-style subscriptions that have ended) | ok |
    /// | 21007 of the production side, 21008 of the sandbox side | the other side |
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

    /// What the verdict says of the health of the side.
    var health: CircuitBreaker.Outcome {
        switch self {
        case .again(isOutage: true): .outage
        case .again, .nonsense: .inconclusive
        case .ok, .otherSide, .retryOnce, .misconfigured, .rejected: .working
        }
    }
}
