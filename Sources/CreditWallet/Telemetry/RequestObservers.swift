import WalletAPI

/// Tells several who observe of each request.
struct RequestObservers: RequestObserver {
    let observers: [any RequestObserver]

    func requestBegan() {
        for observer in self.observers { observer.requestBegan() }
    }

    func requestEnded(_ request: ObservedRequest) {
        for observer in self.observers { observer.requestEnded(request) }
    }
}
