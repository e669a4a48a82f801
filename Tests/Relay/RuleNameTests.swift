import MildamMLS
import MildamRelayAPI
import MildamRoomRules
import Testing

@Suite("Names of rules in a relay's errors")
struct RuleNameTests {
    @Test("every rule has a name that clients take")
    func names() {
        let names = RoomRule.allCases.map(\.rawValue) + ValidationRule.allCases.map(\.rawValue)
        #expect(names.count > 50)
        for name in names + ["mls", "welcomeIsForThoseWhoComeIn"] {
            #expect(APIError(.invalidCommit, "broken", rule: name).isWithinBounds, "\(name)")
        }
    }
}
