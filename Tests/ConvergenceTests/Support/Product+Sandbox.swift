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
        // Twelve months as the stories count them.
        case .year: 360 * 86_400
        default: 30 * 86_400
        }
    }
}
