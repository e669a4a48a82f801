import MildamClientAPI
import Testing

@testable import MildamMessenger

@Suite("Which items of a room were shown")
struct ShownNumbersTests {
    private func item(_ number: UInt64?, _ kind: RoomItem.Kind = .text, _ code: String? = nil) -> RoomItem {
        RoomItem(key: nil, number: number, at: 1, kind: kind, code: code)
    }

    @Test func eachOnceWhateverBringsIt() {
        var shown = ShownNumbers(after: 3)
        let old = [3, nil].map { shown.shows(item($0)) }
        #expect(old == [false, false])
        let news = [5, 4, 5, 4, 6].map { shown.shows(item($0)) }
        #expect(news == [true, true, false, false, true] && shown.last == 6)
    }

    /// Under one number there may be a coming back and who came in by it.
    @Test func severalOfOneNumber() {
        var shown = ShownNumbers(after: 0)
        let news = ["came-back", "members", "members"].map { shown.shows(item(1, .system, $0)) }
        #expect(news == [true, true, false])
    }

    @Test func whatHasNothingToShowIsLookedAtOnce() {
        var shown = ShownNumbers(after: 0)
        shown.look(through: 9)
        shown.look(through: 4)
        #expect(shown.last == 9)
        let isShown = shown.shows(item(9))
        #expect(isShown)
    }

    /// It does not grow for ever, and what is forgotten does not come again.
    @Test func aLongTime() {
        var shown = ShownNumbers(after: 0)
        let first = (1...10_000).map { shown.shows(item($0)) }
        let second = (1...10_000).map { shown.shows(item($0)) }
        #expect(first.allSatisfy { $0 } && !second.contains(true))
        #expect(shown.last == 10_000)
    }
}
