import Testing

/// Tests of the running executable with stores that post every notification automatically, as in production.
///
/// The nested suites share one instance. Some move its clock, so the tests run one after the other.
@Suite(.liveWallet, .showingLog, .serialized) struct ToldWalletTests {}
