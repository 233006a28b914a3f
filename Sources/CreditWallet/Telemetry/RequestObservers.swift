import WalletAPI

/// Reports each request to several observers.
struct RequestObservers: RequestObserver {
    let observers: [any RequestObserver]

    func requestBegan() {
        for observer in self.observers { observer.requestBegan() }
    }

    func requestEnded(_ request: ObservedRequest) {
        for observer in self.observers { observer.requestEnded(request) }
    }
}
