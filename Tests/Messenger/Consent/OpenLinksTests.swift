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
}
