import MildamRelay
import MildamTerminal

/// `mildam-relay user list`.
let userList = RelayCommand(
    ["user", "list"],
    summary: "List the accounts.",
    options: [dataOption, jsonOption],
    examples: [.init("mildam-relay user list --data /srv/mildam", "Handles, sessions and second factors.")],
    exitNotes: userNotes,
    run: Users.doing { users in
        var accounts: [AccountSummary] = []
        while true {
            guard case .accounts(let page) = try users.ask(.list(after: accounts.last?.handle)) else {
                throw Users.Failure.absurd
            }
            accounts += page
            if page.count < OperatorRequest.page { break }
        }
        try users.answer(["accounts": accounts]) {
            Users.table(
                ["HANDLE", "SESSIONS", "SECOND FACTOR"],
                accounts.map { ["\($0.handle)", "\($0.sessions)", $0.hasSecondFactor ? "yes" : "no"] }
            )
        }
    }
)
