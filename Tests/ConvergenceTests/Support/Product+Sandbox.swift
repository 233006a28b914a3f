import SandboxStores

extension Product {
    var kind: SandboxProduct.Kind {
        switch self {
        case .starter, .power: .consumable
        case .explorer, .enthusiast, .unlimited: .subscription
        }
    }
}
