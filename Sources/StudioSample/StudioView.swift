#if canImport(SwiftUI)
    public import SwiftUI
    import WalletClient
    import WalletClientTesting

    /// The classes, the user's bookings and the balance.
    public struct StudioView: View {
        @Bindable private var model: StudioModel

        /// Creates a screen for a model.
        /// - Parameter model: The model.
        public init(_ model: StudioModel) {
            self.model = model
        }

        /// The content of the screen.
        public var body: some View {
            NavigationStack {
                List {
                    Section("Classes") {
                        ForEach(self.model.classes) { ClassRow($0, self.model) }
                    }
                    Section("Bookings") {
                        ForEach(self.model.bookings) { BookingRow($0, self.model) }
                    }
                }
                .navigationTitle("\(self.model.balance?.credits ?? 0) credits")
            }
            .task { await self.model.load() }
            .task { await self.model.followBalance() }
            .sheet(isPresented: self.$model.shortage.isPresent) { ShortageView(self.model) }
            .alert(self.model.message ?? "", isPresented: self.$model.message.isPresent) {}
        }
    }

    extension Optional {
        fileprivate var isPresent: Bool {
            get { self != nil }
            set { if !newValue { self = nil } }
        }
    }

    #Preview {
        StudioView(
            StudioModel(wallet: InMemoryWallet()) { PreviewTransaction(productID: $0.productID) }
        )
    }
#endif
