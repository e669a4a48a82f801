extension ClientStore {
    /// What is remembered of whom this account lets write to it.
    func consent() throws(MessengerError) -> Consent { try record(.consent, []) ?? Consent() }
}
