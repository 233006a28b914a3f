/// Names what a lot holds and a booking is paid in.
public enum CreditUnit: String, Codable, Sendable, NamedValue {
    /// Credits, sold in packs.
    case credit
    /// Visits, granted by passes and by plans that count classes.
    case visit
}
