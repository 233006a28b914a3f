import Foundation
public import Observation
public import WalletClient

/// The data and actions of a studio's screen.
///
/// It does not depend on SwiftUI, so tests can use it on any system.
@MainActor
@Observable
public final class StudioModel {
    /// Buys a pack in the store; returns nil if the user cancelled or another person must approve the purchase first.
    public typealias Shop = @MainActor (InsufficientCredits.PackOffer) async throws -> (any StoreTransaction)?

    /// The user's balance; nil until the wallet has responded.
    public private(set) var balance: Balance?
    /// The classes that the user can book.
    public private(set) var classes: [ClassSession] = []
    /// The active bookings of upcoming classes.
    public private(set) var bookings: [Booking] = []
    /// The shortage that prevented the last booking; while it is not nil, the app shows a sheet with packs to buy.
    public var shortage: InsufficientCredits?
    /// A message for the user; nil for no message.
    public var message: String?

    private let wallet: any WalletProtocol
    private let shop: Shop
    /// The bookings with unknown outcome by class id; a retry must use the same intent and so the same key.
    private var intents: [String: BookingIntent] = [:]
    private var wanted: ClassSession?

    /// Creates the model of one user.
    /// - Parameters:
    ///   - wallet: The user's wallet.
    ///   - shop: A closure that buys a pack in the store.
    public init(wallet: any WalletProtocol, shop: @escaping Shop) {
        self.wallet = wallet
        self.shop = shop
    }

    /// Loads the classes and the user's bookings.
    public func load() async {
        await self.showingErrors {
            self.classes = try await self.wallet.classes().items
            self.bookings = try await self.wallet.bookings(status: .upcoming).items
        }
    }

    /// Updates the balance with every change for as long as the task runs.
    public func followBalance() async {
        await self.showingErrors {
            for try await balance in self.wallet.balances() { self.balance = balance }
        }
    }

    /// Books a seat; if the balance is too low, sets ``shortage``.
    /// - Parameter session: The class.
    public func book(_ session: ClassSession) async {
        let intent =
            self.intents[session.classID]
            ?? BookingIntent(classID: session.classID, maxAmount: session.price.credits)
        self.intents[session.classID] = intent
        do {
            let result = try await self.wallet.book(intent)
            self.intents[session.classID] = nil
            self.message = "Booked. Your code is \(result.booking.confirmationCode)."
            await self.load()
        } catch let problem as WalletProblem {
            // A refusal is a known outcome, so the next attempt is a new booking.
            self.intents[session.classID] = nil
            self.shortage = problem.insufficientCredits
            self.wanted = session
            if self.shortage == nil { self.message = problem.localizedDescription }
        } catch {
            self.message = error.localizedDescription
        }
    }

    /// Buys a pack and then books the class that the credits were missing for.
    /// - Parameter offer: The pack.
    public func buy(_ offer: InsufficientCredits.PackOffer) async {
        await self.showingErrors {
            guard let transaction = try await self.shop(offer) else { return }
            _ = try await self.wallet.submit(transaction)
            self.shortage = nil
            if let wanted = self.wanted { await self.book(wanted) }
        }
    }

    /// Cancels a booking and shows the returned amount.
    /// - Parameter booking: The booking.
    public func cancel(_ booking: Booking) async {
        await self.showingErrors {
            let returned = try await self.wallet.cancel(booking.bookingID).booking.returned?.amount ?? 0
            self.message = returned > 0 ? "Cancelled. Returned: \(returned)." : "Cancelled late; nothing was returned."
            await self.load()
        }
    }

    private func showingErrors(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
            // The screen was closed.
        } catch {
            self.message = error.localizedDescription
        }
    }
}
