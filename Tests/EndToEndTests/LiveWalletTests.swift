import Testing

/// The running executable, seen from outside: through the SDK, through raw HTTP, and through SQL as an administrator.
///
/// The suites inside share one instance; every test has users and classes of its own.
@Suite(.liveWallet, .showingLog) struct LiveWalletTests {}
