import HouseSupport
import MildamClientAPI
import TestSupport
import Testing

/// A program between commands and a profile's client that runs: it does something to one ask of a kind, and passes all else on.
enum ClientBetween {
    /// What it does.
    enum Deed: String {
        /// It hangs up in the place of the answer.
        case cut
        /// It keeps the answer for itself.
        case swallow
        /// For five seconds it answers that the profile is lent.
        case lent
    }

    /// Starts it; whoever connects from here on speaks with it.
    ///
    /// - Parameter ask: the ask's name.
    static func start(before person: Person, _ deed: Deed, _ ask: String) async throws -> Program {
        let program = try Program("python3", ["-c", script, person.folder + "/agent/client", deed.rawValue, ask])
        try #require(try await program.line(with: "between") != nil)
        return program
    }

    private static let script = #"""
        import json, os, socket, sys, threading, time
        path, deed, kind = sys.argv[1:4]
        os.rename(path, path + "-itself")
        listener = socket.socket(socket.AF_UNIX); listener.bind(path); os.chmod(path, 0o600); listener.listen(64)
        print("between", flush=True)
        lock, begun = threading.Lock(), []
        def is_met():
            with lock:
                begun.append(time.monotonic())
                return begun[-1] < begun[0] + 5 if deed == "lent" else len(begun) == 1
        def hang_up(*ends):
            for end in ends:
                try: end.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def answers(window, client, kept):
            for line in client.makefile("rb"):
                frame = json.loads(line)
                if frame.get("id") in kept:
                    kept.remove(frame["id"])
                    if deed == "cut": break
                    continue
                try: window.sendall(line)
                except OSError: break
            hang_up(window, client)
        def serve(window):
            client, kept = socket.socket(socket.AF_UNIX), []
            client.connect(path + "-itself")
            threading.Thread(target=answers, args=(window, client, kept), daemon=True).start()
            try:
                for line in window.makefile("rb"):
                    frame = json.loads(line)
                    if kind in frame["ask"] and is_met():
                        if deed == "lent":
                            window.sendall(b'{"error":{"code":"lent","parameters":{}},"id":%d}\n' % frame["id"])
                            continue
                        kept.append(frame["id"])
                    client.sendall(line)
            except OSError: pass
            hang_up(window, client)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """#
}
