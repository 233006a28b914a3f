import Testing

/// The running executable beside stores that notify it of everything by themselves, as they do in production.
///
/// The suites inside share one instance; some move its clock, so one test follows the other.
@Suite(.liveWallet, .showingLog, .serialized) struct ToldWalletTests {}
