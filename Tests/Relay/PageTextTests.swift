import Foundation
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Pages that are written by hand")
struct PageTextTests {
    @Test("a page's text is byte for byte what the general encoder writes")
    func messages() {
        var random = Seed.generator(for: "pages")
        for count in [0, 1, 2, 50] {
            let messages = (0..<count).map { index in
                RoomMessage(
                    number: .random(in: 0 ... .max, using: &random),
                    generation: .random(in: 0 ... .max, using: &random),
                    epoch: index == 1 ? .max : 0,
                    kind: .random(using: &random) ? .application : .membership,
                    account: .random(),
                    device: .random(),
                    stored: .random(in: .min ... .max, using: &random),
                    body: Data((0..<index * 7).map { _ in .random(in: 0...255, using: &random) }),
                    id: .random(using: &random) ? .random() : nil,
                    externalPub: .random(using: &random)
                        ? Data((0..<32).map { _ in .random(in: 0...255, using: &random) }) : nil
                )
            }
            let page = MessagePage(
                first: 1,
                next: .random(in: 0 ... .max, using: &random),
                messages: messages,
                epoch: count == 1 ? nil : 7,
                incarnation: count == 2 ? nil : .random(),
                lost: count == 0 ? nil : (1...count).map { LostNumbers(first: UInt64($0), last: .max) }
            )
            #expect(PageText.of(page) == HTTPResponse.json(page).body)
        }
    }
}
