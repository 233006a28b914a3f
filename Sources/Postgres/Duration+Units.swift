extension Duration {
    /// The duration in whole milliseconds, rounded up so that a short wait is not a busy loop.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? .max / 2 : product + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
