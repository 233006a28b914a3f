import Wallet

/// The form of an action, as its template renders it.
struct ActionForm: Sendable {
    /// One field of the form.
    struct Input: Sendable {
        let name: String
        let label: String
        let value: String
        let isGiven: Bool
        let type: String
        /// The step of a number or time field; nil for the browser's default.
        let step: String?
        let isRequired: Bool
        let options: [Option]
        /// A stored property, because templates access only stored properties.
        let isChoice: Bool
    }

    /// One option of a field.
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
    /// A Boolean value that indicates whether the form changes an existing object.
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
        // With a step of one second, the field keeps the seconds of an existing instant.
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
