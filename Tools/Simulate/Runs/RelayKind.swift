/// Which relay worlds have.
package enum RelayKind: String, CaseIterable, Sendable {
    /// The relay's own code: its rules, groups and store.
    case store
    /// A model of it, which tests hold against the relay's own code.
    case model

    /// Where nothing is said.
    package static let usual = RelayKind.model
}
