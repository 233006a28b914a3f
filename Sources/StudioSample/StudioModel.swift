import Foundation
public import Observation
public import WalletClient

/// What the screen of a studio shows and does.
///
/// It knows no SwiftUI, so tests drive it on any system.
@MainActor
@Observable
public final class StudioModel {
    /// Buys a pack in the store; nil where the user changed their mind or somebody else must approve first.
    public typealias Shop = @MainActor (InsufficientCredits.PackOffer) async throws -> (any StoreTransaction)?

    /// What the wallet holds; nil until it has answered.
    public private(set) var balance: Balance?
    /// The classes to book.
    public private(set) var classes: [ClassSession] = []
    /// The standing bookings of classes ahead.
    public private(set) var bookings: [Booking] = []
    /// What to buy before the last booking can be made; the sheet that sells it stands while there is one.
    public var shortage: InsufficientCredits?
    /// What to show to the user; nil for nothing.
    public var message: String?

    private let wallet: any WalletProtocol
    private let shop: Shop
    /// The wishes whose outcome is not known, by class: asked again, they must carry the same key.
    private var intents: [String: BookingIntent] = [:]
    private var wanted: ClassSession?

    /// Creates the model of one user.
    /// - Parameters:
    ///   - wallet: the user's wallet.
    ///   - shop: buys a pack in the store.
    public init(wallet: any WalletProtocol, shop: @escaping Shop) {
        self.wallet = wallet
        self.shop = shop
    }

    /// Reads the classes and the user's bookings.
    public func load() async {
        await self.showingErrors {
            self.classes = try await self.wallet.classes().items
            self.bookings = try await self.wallet.bookings(status: .upcoming).items
        }
    }

    /// Shows the balance and every change of it, for as long as the task runs.
    public func followBalance() async {
        await self.showingErrors {
            for try await balance in self.wallet.balances() { self.balance = balance }
        }
    }

    /// Books a seat, or says what to buy first.
    /// - Parameter session: the class.
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
            // A refusal is an outcome; the next wish is a new one.
            self.intents[session.classID] = nil
            self.shortage = problem.insufficientCredits
            self.wanted = session
            if self.shortage == nil { self.message = problem.localizedDescription }
        } catch {
            self.message = error.localizedDescription
        }
    }

    /// Buys a pack and then books what the credits were wanted for.
    /// - Parameter offer: the pack.
    public func buy(_ offer: InsufficientCredits.PackOffer) async {
        await self.showingErrors {
            guard let transaction = try await self.shop(offer) else { return }
            _ = try await self.wallet.submit(transaction)
            self.shortage = nil
            if let wanted = self.wanted { await self.book(wanted) }
        }
    }

    /// Cancels a booking and says what came back.
    /// - Parameter booking: the booking.
    public func cancel(_ booking: Booking) async {
        await self.showingErrors {
            let returned = try await self.wallet.cancel(booking.bookingID).booking.returned?.amount ?? 0
            self.message = returned > 0 ? "Cancelled. \(returned) came back." : "Cancelled too late; nothing came back."
            await self.load()
        }
    }

    private func showingErrors(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
            // The screen has gone.
        } catch {
            self.message = error.localizedDescription
        }
    }
}
