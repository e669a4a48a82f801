import FoundationEssentials
import MildamCrypto
import MildamGroupKey
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension FuzzTarget {
    /// Every answer that the client reads, errors included, and what it hears on a socket, with what it does at once with
    /// what is in them. The first byte says which.
    static let jsonAnswers = FuzzTarget(
        name: "json-answers",
        source: .network,
        seeds: {
            let room: RoomID = FixedKeys.id(3)
            let bytes = Data([UInt8](repeating: 1, count: 32))
            let message = RoomMessage(
                number: 2,
                generation: 1,
                epoch: 0,
                kind: .application,
                account: FixedKeys.account.account,
                device: FixedKeys.sender.device,
                stored: 1,
                body: Data([1, 2, 3])
            )
            let error = APIError(.staleEpoch, "no", number: 3, generation: 2, epoch: 1)
            let commit = RoomMessage(
                number: 3,
                generation: 1,
                epoch: 0,
                kind: .commit,
                account: FixedKeys.account.account,
                device: FixedKeys.sender.device,
                stored: 1,
                body: Data([1, 2, 3]),
                id: FixedKeys.id(8),
                externalPub: bytes
            )
            let missed = MessagePage(
                first: 1,
                next: 9,
                messages: [message, commit],
                epoch: 3,
                incarnation: FixedKeys.id(1),
                lost: [LostNumbers(first: 4, last: 8)]
            )
            let state = RoomState(
                room: room,
                generation: 1,
                epoch: 3,
                renewalDue: false,
                first: 1,
                next: 9,
                members: [FixedKeys.account.account, FixedKeys.recipientAccount],
                isGroup: true,
                delivered: 7
            )
            let closing = AccountClosing(relay: FixedKeys.relay, account: FixedKeys.account.account)
            let ofGroups: [[UInt8]] = [
                answer(0, missed),
                answer(1, LiveEvent.hello(incarnation: FixedKeys.id(1))),
                answer(1, LiveEvent.lost(room: room, first: 2, last: 9)),
                answer(1, LiveEvent.generation(room: room)),
                answer(1, LiveEvent.groupInfo(room: room)),
                answer(1, LiveEvent.message(room: room, message: commit)),
                answer(
                    2,
                    MailboxPage(
                        first: 1,
                        next: 2,
                        items: [
                            .init(
                                number: 1,
                                kind: .welcome,
                                room: room,
                                body: Data(WelcomeItem(generation: 0, epoch: 1, number: 1, welcome: [1]).wireBytes),
                                from: FixedKeys.account.account,
                                isRequest: true
                            )
                        ]
                    )
                ),
                answer(7, APIErrorBody(error, missed: missed)),
                answer(7, APIErrorBody(APIError(.invalidCommit, "no", rule: "inviterMayInvite"))),
                answer(10, KeyPackageCount(left: 25, hasLastResort: true)),
                answer(11, RoomList(rooms: [state])),
                answer(
                    12,
                    AccountAnswers(accounts: [
                        AccountAnswer(account: FixedKeys.account.account, bundle: FixedKeys.bundle),
                        AccountAnswer(
                            account: FixedKeys.account.account,
                            closing: Signed(closing, by: FixedKeys.identity)
                        ),
                        AccountAnswer(account: FixedKeys.recipientAccount),
                    ])
                ),
            ]
            let answers: [[UInt8]] = [
                answer(0, MessagePage(first: 1, next: 3, messages: [message])),
                answer(1, LiveEvent.message(room: room, message: message)),
                answer(1, LiveEvent.behind(room: room, from: 2)),
                answer(1, LiveEvent.mailbox(next: 2)),
                answer(1, LiveEvent.removed(room: room)),
                answer(1, LiveEvent.refused(error: error)),
                answer(
                    2,
                    MailboxPage(first: 1, next: 2, items: [.init(number: 1, kind: .envelope, room: room, body: bytes)])
                ),
                answer(3, BlobState(blob: FixedKeys.id(7), size: 10, received: 5)),
                answer(4, LoginParameters(relay: FixedKeys.relay, salt: bytes, memory: 65_536, passes: 3)),
                answer(5, FixedKeys.bundle),
                answer(5, FixedKeys.renewedBundle),
                answer(
                    6,
                    TokenAnswer(
                        accessToken: "a.b.c",
                        isBound: true,
                        expiresIn: 300,
                        refreshToken: RefreshToken(session: FixedKeys.id(5), secret: [UInt8](bytes))
                    )
                ),
                answer(6, TokenError(error, isRefresh: true)),
                answer(7, APIErrorBody(error)),
                answer(8, SendReceipt(number: 1)),
                answer(9, RelayDescription(relay: FixedKeys.relay, version: "0.1.0", registration: .open)),
            ]
            return answers + ofGroups
        },
        take: { input in
            guard let first = input.first else { return }
            let body = Array(input.dropFirst())
            switch first {
            case 0:
                guard let page = understood(MessagePage.self, body) else { return }
                planted(page.messages.contains { $0.epoch != 0 })
                for message in page.messages { _ = try? MessageBox(wireBytes: Array(message.body)) }
            case 1:
                guard case .message(_, let message)? = understood(LiveEvent.self, body) else { return }
                _ = try? MessageBox(wireBytes: Array(message.body))
            case 2:
                guard let page = understood(MailboxPage.self, body) else { return }
                for item in page.items {
                    _ = try? KeyEnvelope(wireBytes: Array(item.body))
                    _ = try? WelcomeItem(wireBytes: Array(item.body))
                }
            case 3:
                guard let state = understood(BlobState.self, body) else { return }
                mustHold(state.isWhole == (state.received == state.size), "whole is what has its size")
            case 4: _ = understood(LoginParameters.self, body)
            case 5:
                guard let bundle = understood(AccountBundle.self, body) else { return }
                guard
                    let verified = try? bundle.verified(
                        for: FixedKeys.account.handle,
                        on: FixedKeys.relay,
                        pin: nil,
                        at: 1
                    ), verified.record.identityKey == FixedKeys.identity.publicKey
                else { return }
                mustHold(verified.record == FixedKeys.account, "only what was signed is believed")
            case 6:
                _ = understood(TokenError.self, body)
                guard let answer = understood(TokenAnswer.self, body) else { return }
                guard let token = try? RefreshToken(text: answer.refreshToken) else { return }
                mustHold(token.text == answer.refreshToken, "a refresh token has one form")
            case 7: _ = understood(APIErrorBody.self, body)
            case 8: _ = understood(SendReceipt.self, body)
            case 10: _ = understood(KeyPackageCount.self, body)
            case 11: _ = understood(RoomList.self, body)
            case 12:
                guard let answers = understood(AccountAnswers.self, body) else { return }
                for closing in answers.accounts.compactMap(\.closing) {
                    guard let signed = try? closing.verified(under: FixedKeys.identity.publicKey) else { continue }
                    let own = AccountClosing(relay: FixedKeys.relay, account: FixedKeys.account.account)
                    mustHold(signed == own, "only the end that was signed is believed")
                }
            default: _ = understood(RelayDescription.self, body)
            }
        }
    )

    /// Reads an answer as the client does; what it understands, it understands the same when it is written again.
    private static func understood<Value: Codable>(_ type: Value.Type, _ body: [UInt8]) -> Value? {
        guard let value = try? JSONDecoder().decode(type, from: Data(body)) else { return nil }
        let written = encoded(value)
        let again = try? JSONDecoder().decode(type, from: Data(written))
        mustHold(again.map { encoded($0) } == written, "a \(type) that is written is read as it was")
        return value
    }

    private static func answer(_ kind: UInt8, _ value: some Encodable) -> [UInt8] { [kind] + encoded(value) }

    private static func encoded(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }
}
