import Testing

/// Tests of the running executable from outside: through the SDK, raw HTTP, and SQL as an administrator.
///
/// The nested suites share one instance; every test has its own users and classes. The stores write messages and post
/// them only when a test delivers them.
@Suite(.untoldLiveWallet, .showingLog) struct LiveWalletTests {}
