/// The unit of lots and prices.
public enum CreditUnit: String, Codable, Sendable, NamedValue {
    /// Credits, sold in packs.
    case credit
    /// Visits, granted by passes and by plans that count classes.
    case visit
}
