import HTTPTypes
import WalletAPI

/// Reports each request to several observers.
struct RequestObservers: RequestObserver {
    let observers: [any RequestObserver]

    func requestBegan(_ method: HTTPRequest.Method) {
        for observer in self.observers { observer.requestBegan(method) }
    }

    func requestEnded(_ request: ObservedRequest) {
        for observer in self.observers { observer.requestEnded(request) }
    }
}
