import Testing

/// The running executable, seen from outside: through the SDK, through raw HTTP, and through SQL as an administrator.
///
/// The suites inside share one instance; every test has users and classes of its own. Its stores write their messages
/// and post none, unless a test asks for one.
@Suite(.untoldLiveWallet, .showingLog) struct LiveWalletTests {}
