@testable import MildamMLS

extension FuzzTarget {
    /// Anything that goes over the wire. A group of two members takes what it read.
    static let mlsMessage = FuzzTarget(
        name: "mls-message",
        source: .network,
        seeds: { MLSSeeds.all.messages.map(\.wireBytes) },
        take: { input in
            guard let message = oneForm(MLSMessage.self, input) else { return }
            if case .publicMessage(let message) = message { planted(message.content.epoch > 1) }
            var group = MLSSeeds.all.group
            let before = (group.publicGroup.context, group.epochAuthenticator)
            guard (try? group.process(message)) == nil else { return }
            mustHold(
                group.publicGroup.context == before.0 && group.epochAuthenticator == before.1,
                "what is refused changes nothing"
            )
        }
    )
}
