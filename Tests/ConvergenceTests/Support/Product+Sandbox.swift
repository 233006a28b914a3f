import SandboxStores

extension Product {
    var kind: SandboxProduct.Kind {
        switch self {
        case .starter, .explorerPack, .power: .consumable
        case .explorer, .enthusiast, .unlimited: .subscription
        }
    }
}
