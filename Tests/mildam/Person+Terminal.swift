import Foundation
import Glibc
import HouseSupport
import TestSupport
import Testing

extension Person {
    /// Starts `mildam chat` in a terminal; says how it was stopped or ended, and whether the terminal is then as it was
    /// before. A line that is typed goes on after that; the shell says what it is.
    ///
    /// - Parameter pipe: where its output goes, if not to the terminal: "| cat".
    func chat(_ arguments: String..., pipe: String = "", columns: Int = 80) throws -> TerminalSession {
        // A shell that becomes the program: so its number is known.
        let script = """
            set -m
            trap : INT
            before=$(stty -g)
            tell() { [ "$(stty -g)" = "$before" ] && echo "$1 $2: as before" || echo "$1 $2: changed"; }
            sh -c 'echo $$ >"$CHAT_NUMBER"; exec "$@"' sh "$@" \(pipe)
            status=$?
            while [ $status = 148 ]; do
                tell stopped $status
                read -r line
                fg >/dev/null
                status=$?
            done
            tell ended $status
            read -r line
            echo "the shell reads: $line"
            read -r line
            """
        return try TerminalSession(
            script,
            [Program.find("mildam"), "chat"] + arguments,
            environment: variables.merging([
                "TERM": "xterm", "SWIFT_BACKTRACE": "enable=no", "CHAT_NUMBER": home + "/chat",
            ]) { $1 },
            columns: columns
        )
    }

    /// Sends a signal to the `mildam chat` that was started last.
    func signalChat(_ number: Int32) throws {
        let text = try String(contentsOfFile: home + "/chat", encoding: .utf8)
        kill(try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))), number)
    }
}
