/// Whose metrics are being made, where one process serves several wallets.
///
/// Whatever makes a metric meanwhile gets it with the label `wallet`; what is made outside belongs to the process.
public enum MetricOwner {
    /// The wallet's name; nil where there is one wallet, or for what belongs to none.
    @TaskLocal public static var wallet: String?

    static let label = "wallet"
}
