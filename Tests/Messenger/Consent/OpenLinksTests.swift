import Foundation
import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("Consent: the links that one has given")
struct OpenLinksTests {
    @Test func eachCountsOnceAndUntilItRunsOut() {
        var links = OpenLinks()
        #expect(!links.areOpen(at: 0))
        links.add(.random(), expires: 200, at: 100)
        links.add(.random(), expires: 300, at: 100)
        #expect(links.areOpen(at: 299) && !links.areOpen(at: 300))
        links.use(at: 100)
        #expect(links.areOpen(at: 299), "the one that runs out first is gone")
        links.use(at: 100)
        #expect(!links.areOpen(at: 100))
        links.use(at: 100)
        // What has run out is not what is used.
        links.add(.random(), expires: 200, at: 100)
        links.add(.random(), expires: 300, at: 100)
        links.use(at: 250)
        #expect(!links.areOpen(at: 250))
    }

    @Test func theyAreBounded() throws {
        var links = OpenLinks()
        for number in 0..<Int64(OpenLinks.capacity + 20) { links.add(.random(), expires: 1000 + number, at: 0) }
        let data = try JSONEncoder().encode(links)
        var read = try JSONDecoder().decode(OpenLinks.self, from: data)
        for _ in 0..<OpenLinks.capacity {
            #expect(read.areOpen(at: 0))
            read.use(at: 0)
        }
        #expect(!read.areOpen(at: 0))
    }

    /// What was used stays on the list, since nobody says which it was, until it is taken back or runs out.
    @Test func eachHasANumber() throws {
        var links = OpenLinks()
        #expect(links.add(.random(), expires: 200, at: 100) == 1)
        #expect(links.add(.random(), expires: 300, at: 100) == 2)
        links.use(at: 100)
        #expect(links.made(at: 100).map(\.number) == [1, 2] && links.used(at: 100) == 1)
        #expect(links.made(at: 200).map(\.number) == [2] && links.used(at: 200) == 0)
        links.remove(try #require(links.made(at: 100).last))
        #expect(links.made(at: 100).map(\.number) == [1] && !links.areOpen(at: 100))
        var read = try JSONDecoder().decode(OpenLinks.self, from: try JSONEncoder().encode(links))
        #expect(read.made(at: 100) == links.made(at: 100))
        #expect(read.add(.random(), expires: 300, at: 250) == 3, "a number is given once")
        #expect(read.made(at: 250).map(\.number) == [3])
    }

    /// What is remembered of links that were used is bounded as well.
    @Test func whatIsRememberedIsBounded() {
        var links = OpenLinks()
        for number in 0..<Int64(OpenLinks.remembered + 20) { links.add(.random(), expires: 5000 + number, at: 0) }
        #expect(links.made(at: 0).map(\.number) == Array(21...Int64(OpenLinks.remembered + 20)))
    }

    /// Links from before they had numbers are counted through, the one that runs out first first.
    @Test func linksWithoutNumbers() throws {
        struct Earlier: Encodable {
            var links: [LinkID: Int64]
        }
        let (first, second) = (LinkID.random(), LinkID.random())
        let data = try JSONEncoder().encode(Earlier(links: [second: 300, first: 200]))
        var links = try JSONDecoder().decode(OpenLinks.self, from: data)
        #expect(links.made(at: 0).map(\.id) == [first, second] && links.made(at: 0).map(\.number) == [1, 2])
        #expect(links.add(.random(), expires: 400, at: 0) == 3)
    }
}
