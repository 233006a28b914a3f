import SandboxStores

extension Product {
    var kind: SandboxProduct.Kind {
        switch self {
        case .starter, .explorerPack, .power: .consumable
        case .explorer, .enthusiast, .unlimited, .year: .subscription
        }
    }

    var periodSeconds: Int {
        switch self {
        // The stories count a year as twelve months of 30 days.
        case .year: 360 * 86_400
        default: 30 * 86_400
        }
    }
}
