import CCurl
import Glibc
import MildamCrypto
import MildamKeychain
import MildamSystem
import Synchronization

/// One request on its way through libcurl, on the one thread that calls `run`.
final class CurlTransfer: Sendable {
    private let request: OutgoingRequest
    private let limits: CurlExchange.Limits
    private let authorities: String?
    private let isCancelled = Atomic<Bool>(false)

    init(_ request: OutgoingRequest, _ limits: CurlExchange.Limits, authorities: String?) {
        self.request = request
        self.limits = limits
        self.authorities = authorities
    }

    /// Ends the request within a second. From any thread.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// libcurl's own preparation, once in a process.
    private static let isPrepared = curl_global_init(Int(mildam_curl_everything)) == CURLE_OK

    /// Sends it, and waits for the answer.
    func run() -> Result<IncomingAnswer, ExchangeError> {
        guard CurlTransfer.isPrepared, let handle = unsafe curl_easy_init() else { return .failure(.unreachable) }
        defer { unsafe curl_easy_cleanup(handle) }
        let taken = Taken(limits)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe CurlTransfer.free(list) }
        guard unsafe addFields(to: &list) else { return .failure(.invalidRequest) }
        return withExtendedLifetime((taken, self)) {
            let options = unsafe Options(handle: handle)
            set(options)
            unsafe options.list(CURLOPT_HTTPHEADER, list)
            unsafe options.taker(CURLOPT_WRITEFUNCTION, takeBody)
            unsafe options.pointer(CURLOPT_WRITEDATA, Unmanaged.passUnretained(taken).toOpaque())
            unsafe options.taker(CURLOPT_HEADERFUNCTION, takeField)
            unsafe options.pointer(CURLOPT_HEADERDATA, Unmanaged.passUnretained(taken).toOpaque())
            unsafe options.watcher(watch)
            unsafe options.pointer(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
            guard options.failure == CURLE_OK else { return .failure(.library(code: options.failure.rawValue)) }
            let code = unsafe perform(handle, options)
            var status = 0
            unsafe mildam_curl_get_number(handle, CURLINFO_RESPONSE_CODE, &status)
            return taken.answer(code, status: status)
        }
    }

    private func set(_ options: Options) {
        let url = request.url
        options.text(CURLOPT_URL, url.description)
        options.text(CURLOPT_PROTOCOLS_STR, url.isSecure ? "https" : "http")
        options.text(CURLOPT_CUSTOMREQUEST, request.method)
        options.text(CURLOPT_USERAGENT, "mildam/\(Version.text)")
        if request.method == "HEAD" { options.number(CURLOPT_NOBODY, 1) }
        // What stays on this machine goes through no proxy: without TLS the proxy would read it.
        if url.isLoopback { options.text(CURLOPT_NOPROXY, "*") }
        if let authorities { options.text(CURLOPT_CAINFO, authorities) }
        options.number(CURLOPT_FOLLOWLOCATION, 0)
        options.number(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        options.number(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        options.number(CURLOPT_SSL_VERIFYPEER, 1)
        options.number(CURLOPT_SSL_VERIFYHOST, 2)
        options.number(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        options.number(CURLOPT_FRESH_CONNECT, 1)
        options.number(CURLOPT_FORBID_REUSE, 1)
        options.number(CURLOPT_NOSIGNAL, 1)
        options.number(CURLOPT_NOPROGRESS, 0)
        options.number(CURLOPT_VERBOSE, 0)
        options.number(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        options.number(CURLOPT_CONNECTTIMEOUT_MS, limits.connectTimeout.wholeMilliseconds)
        options.number(CURLOPT_TIMEOUT_MS, limits.timeout.wholeMilliseconds)
        options.size(CURLOPT_MAXFILESIZE_LARGE, limits.bodyBytes)
    }

    /// The content is sent from where it lies, and not copied by libcurl.
    private func perform(_ handle: UnsafeMutableRawPointer, _ options: Options) -> CURLcode {
        guard let body = request.body else { return unsafe curl_easy_perform(handle) }
        return unsafe body.withUnsafeBytes { bytes in
            options.number(CURLOPT_POST, 1)
            options.size(CURLOPT_POSTFIELDSIZE_LARGE, bytes.count)
            unsafe options.pointer(CURLOPT_POSTFIELDS, bytes.baseAddress)
            options.text(CURLOPT_CUSTOMREQUEST, request.method)
            guard options.failure == CURLE_OK else { return options.failure }
            return unsafe curl_easy_perform(handle)
        }
    }

    private func addFields(to list: inout UnsafeMutablePointer<curl_slist>?) -> Bool {
        // Without these libcurl adds fields of its own.
        for text in ["Expect:", "Accept:", "Content-Type:"] { unsafe list = curl_slist_append(list, text) }
        for field in request.fields {
            guard var line = CurlTransfer.line(field) else { return false }
            defer { line.wipe() }
            let longer = unsafe line.withUnsafeBufferPointer { line in
                unsafe line.withMemoryRebound(to: CChar.self) { unsafe curl_slist_append(list, $0.baseAddress) }
            }
            guard let longer = unsafe longer else { return false }
            unsafe list = longer
        }
        return true
    }

    /// "Name: value" and a zero; `nil` where either has bytes that it must not have.
    private static func line(_ field: OutgoingRequest.Field) -> [UInt8]? {
        let name = Array(field.name.utf8)
        let isName = name.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isName, !name.isEmpty, field.value.count > 0 else { return nil }
        var line: [UInt8] = []
        line.reserveCapacity(name.count + field.value.count + 3)
        line.append(contentsOf: name)
        line.append(contentsOf: [UInt8(ascii: ":"), UInt8(ascii: " ")])
        let isText = field.value.withSpan { value in
            for index in value.indices {
                guard (0x20...0x7E).contains(value[index]) else { return false }
                line.append(value[index])
            }
            return true
        }
        guard isText else {
            line.wipe()
            return nil
        }
        line.append(0)
        return line
    }

    /// Wipes and frees a list of fields.
    private static func free(_ list: UnsafeMutablePointer<curl_slist>?) {
        var entry = unsafe list
        while let current = unsafe entry {
            if let text = unsafe current.pointee.data { unsafe explicit_bzero(text, strlen(text)) }
            unsafe entry = current.pointee.next
        }
        unsafe curl_slist_free_all(list)
    }

    fileprivate var mustEnd: Bool { isCancelled.load(ordering: .relaxed) }
}

/// A handle and the first error that setting an option gave.
@safe
private final class Options {
    private let handle: UnsafeMutableRawPointer
    private(set) var failure = CURLE_OK

    init(handle: UnsafeMutableRawPointer) { unsafe self.handle = handle }

    func number(_ option: CURLoption, _ value: Int) { note(unsafe mildam_curl_set_number(handle, option, value)) }

    func size(_ option: CURLoption, _ value: Int) {
        note(unsafe mildam_curl_set_size(handle, option, curl_off_t(value)))
    }

    func text(_ option: CURLoption, _ value: String) { note(unsafe mildam_curl_set_text(handle, option, value)) }

    func pointer(_ option: CURLoption, _ value: UnsafeRawPointer?) {
        note(unsafe mildam_curl_set_pointer(handle, option, value))
    }

    func list(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
        note(unsafe mildam_curl_set_list(handle, option, value))
    }

    func taker(_ option: CURLoption, _ value: mildam_curl_taker) {
        note(unsafe mildam_curl_set_taker(handle, option, value))
    }

    func watcher(_ value: mildam_curl_watcher) { note(unsafe mildam_curl_set_watcher(handle, value)) }

    private func note(_ code: CURLcode) { if failure == CURLE_OK { failure = code } }
}

/// What has come of an answer. One thread only.
private final class Taken {
    private let limits: CurlExchange.Limits
    private var body = SecretBuilder(capacity: 4096)
    private var fields: [(name: String, value: String)] = []
    private var headBytes = 0
    private var isTooLong = false
    /// Whether the empty line behind the last head has come: libcurl takes a head that was cut for a whole one.
    private var isHeadWhole = false

    init(_ limits: CurlExchange.Limits) { self.limits = limits }

    /// Takes a part of the content.
    func add(body part: Span<UInt8>) -> Bool {
        guard body.count + part.count <= limits.bodyBytes else {
            isTooLong = true
            return false
        }
        body.append(part)
        return true
    }

    /// Takes a line of the head; each head, also one that only says "continue", begins with a status line. What comes behind
    /// the content is passed over.
    func add(line: Span<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= limits.headBytes else {
            isTooLong = true
            return false
        }
        let text = unsafe line.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        if text.hasPrefix("HTTP/") {
            fields = []
            isHeadWhole = false
        } else if text.trimmingBlanks.isEmpty {
            isHeadWhole = true
        } else if !isHeadWhole, let colon = text.firstIndex(of: ":") {
            fields.append((text[..<colon].lowercased(), text[text.index(after: colon)...].trimmingBlanks))
        }
        return true
    }

    func answer(_ code: CURLcode, status: Int) -> Result<IncomingAnswer, ExchangeError> {
        if isTooLong { return .failure(.tooLong) }
        guard code == CURLE_OK else { return .failure(ExchangeError(code)) }
        guard (200...599).contains(status), isHeadWhole else { return .failure(.cut) }
        var content = SecretBuilder(capacity: 1)
        swap(&content, &body)
        return .success(IncomingAnswer(status: status, fields: fields, body: SecretValue(content.finish())))
    }
}

extension ExchangeError {
    fileprivate init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY:
            self = .unreachable
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ISSUER_ERROR:
            self = .tls
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY,
            CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = .cut
        case CURLE_FILESIZE_EXCEEDED: self = .tooLong
        case CURLE_ABORTED_BY_CALLBACK: self = .cancelled
        default: self = .library(code: code.rawValue)
        }
    }
}

extension StringProtocol {
    /// Without spaces, tabulators and line ends at either end.
    fileprivate var trimmingBlanks: String {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        let kept = utf8.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed()
        return String(decoding: Array(kept), as: UTF8.self)
    }
}

extension Duration {
    /// Rounded down.
    var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}

private func takeBody(
    _ start: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let start = unsafe start, let context = unsafe context else { return 0 }
    let taken = unsafe Unmanaged<Taken>.fromOpaque(context).takeUnretainedValue()
    let part = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
    return unsafe taken.add(body: Span(_unsafeBytes: part)) ? size * count : 0
}

private func takeField(
    _ start: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let start = unsafe start, let context = unsafe context else { return 0 }
    let taken = unsafe Unmanaged<Taken>.fromOpaque(context).takeUnretainedValue()
    let line = unsafe UnsafeRawBufferPointer(start: start, count: size * count)
    return unsafe taken.add(line: Span(_unsafeBytes: line)) ? size * count : 0
}

private func watch(
    _ context: UnsafeMutableRawPointer?,
    _ toCome: curl_off_t,
    _ come: curl_off_t,
    _ toGo: curl_off_t,
    _ gone: curl_off_t
) -> Int32 {
    guard let context = unsafe context else { return 1 }
    return unsafe Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue().mustEnd ? 1 : 0
}
