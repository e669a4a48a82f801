import Glibc
import MildamTransport

// mildam-echo [NAME=VALUE…]: a server that answers what it was sent, as a process of its own, so that tests can measure
// its memory and attack it. Prints its address, reads its certificate anew at SIGHUP, drains at SIGTERM.
var signals = sigset_t()
unsafe sigemptyset(&signals)
for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, number) }
// Before any thread is made, so that only the wait below takes them.
unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)

do {
    let settings = try Settings(CommandLine.arguments.dropFirst())
    let loop = try EventLoop(name: "mildam-echo")
    loop.start()
    let server = HTTPServer(
        loop: loop,
        address: .loopback(port: 0),
        tls: settings.tls,
        limits: settings.limits,
        handler: Echo()
    )
    print("listening on \(try server.start())")
    fflush(nil)
    var number: Int32 = 0
    while number != SIGTERM && number != SIGINT {
        guard unsafe sigwait(&signals, &number) == 0, number == SIGHUP, let tls = settings.tls else { continue }
        do throws(TransportError) {
            try server.reloadTLS(tls)
            print("reloaded")
        } catch {
            print("not reloaded: \(error)")
        }
        fflush(nil)
    }
    await server.drain(within: .seconds(5))
} catch {
    print("mildam-echo: \(error)")
    exit(1)
}
