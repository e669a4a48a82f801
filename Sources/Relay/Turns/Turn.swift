import MildamIdentity
import MildamTransport

/// Whose turn a piece of work takes, and whether somebody waits for it.
struct Turn: Sendable {
    let payer: Payer
    /// Who waits; `nil` for work that is done in any case.
    let client: ClientPresence?

    /// What the relay does of its own accord.
    static let relay = Turn(payer: .relay, client: nil)

    /// Work for an account, whoever waits.
    init(_ account: AccountID) {
        self.init(payer: .account(account), client: nil)
    }

    /// A request of somebody who has an account.
    init(_ sender: Sender, _ reply: Answer) {
        self.init(payer: .account(sender.account), client: reply.client)
    }

    init(payer: Payer, client: ClientPresence?) {
        self.payer = payer
        self.client = client
    }

    /// Whether it can be left out: its client is gone, or has finished sending, as one does who hangs up, and others wait.
    func isAbandoned(othersWait: Bool) -> Bool {
        switch client?.state {
        case nil, .present: false
        case .finished: othersWait
        case .gone: true
        }
    }
}
