import Wallet

/// The form of an action as a template shows it.
struct ActionForm: Sendable {
    /// One field.
    struct Input: Sendable {
        let name: String
        let label: String
        let value: String
        let isGiven: Bool
        let type: String
        /// The smallest difference between two values; nil where a browser need not know.
        let step: String?
        let isRequired: Bool
        let options: [Option]
        /// Stored: templates see stored properties only.
        let isChoice: Bool
    }

    /// One choice of a field.
    struct Option: Sendable {
        let value: String
        let isChosen: Bool
    }

    let title: String
    let about: String
    let address: String
    let inputs: [Input]
    let key: String
    let formToken: String
    let error: String?
    let back: String?
    /// Whether the form changes what is there already.
    let isKnown: Bool

    init(_ action: ConsoleAction, _ values: [String: String], key: String, formToken: String, error: String? = nil) {
        self.title = action.title
        self.about = action.about
        self.address = WebAddress.page("actions/\(action.name)")
        self.key = key
        self.formToken = formToken
        self.error = error
        self.back = ConsoleAction.page(of: values)
        self.isKnown = values["known"] == "true"
        self.inputs = action.fields.map { Input($0, values[$0.name] ?? "") }
    }
}

extension ActionForm.Input {
    fileprivate init(_ field: ConsoleAction.Field, _ value: String) {
        self.name = field.name
        self.label = field.label
        self.value = value
        self.isRequired = field.isRequired
        // Of an instant that is there already the seconds must stay.
        self.step = field.kind == .instant ? "1" : nil
        self.isGiven = field.kind == .given && !value.isEmpty
        switch field.kind {
        case .choice(let choices):
            self.options = choices.map { ActionForm.Option(value: $0, isChosen: $0 == value) }
            self.type = ""
        case .integer, .minor:
            self.options = []
            self.type = "number"
        case .instant:
            self.options = []
            self.type = "datetime-local"
        case .text, .texts, .given:
            self.options = []
            self.type = "text"
        }
        self.isChoice = !self.options.isEmpty
    }
}
