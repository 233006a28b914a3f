/// The wallet that owns new metrics, if one process serves several wallets.
///
/// Metrics that are created while a wallet is set get the label `wallet`; other metrics belong to the process.
public enum MetricOwner {
    /// The wallet's name; nil in a process with one wallet, and for metrics of the process.
    @TaskLocal public static var wallet: String?

    static let label = "wallet"
}
