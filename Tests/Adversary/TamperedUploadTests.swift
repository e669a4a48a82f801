import Foundation
import HouseSupport
import MildamFiles
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// A dishonest relay, as bob meets it while he sends a file.
@Suite("A relay that lies about an upload")
struct TamperedUploadTests {
    enum Lie: CaseIterable, Sendable {
        case negative, beyond, otherSize, otherBlob, pieceBeyond, pieceHuge, pieceNegative
    }

    /// A relay that says how much it has of an upload, and cannot have it.
    @Test(arguments: Cases.drawn(3, of: Lie.allCases, for: "lies about uploads"))
    func anUploadThatCannotBe(_ lie: Lie) async throws {
        let scene = try await FileScene.set()
        let note = scene.house.folder.file("note.txt")
        scene.proxy.tamper { route, request, answer in
            guard let blob = Routes.blob.names(in: route)?.blob else { return answer }
            let size = AgeFile.size(ofContent: scene.content.count)
            let isPiece = request.method == .put
            var state = BlobState(blob: blob, size: size, received: isPiece ? size : 0)
            switch (lie, isPiece) {
            case (.negative, false): state.received = .min
            case (.beyond, false): state.received = size + 1
            case (.otherSize, false): state.size = size + 1
            case (.otherBlob, false): state.blob = .random()
            case (.pieceBeyond, true): state.received = size + 1
            case (.pieceHuge, true): state.received = 1 << 62
            case (.pieceNegative, true): state.received = -1
            default: break
            }
            return HTTPResponse(status: 200, body: Array(try JSONEncoder().encode(state)))
        }
        expect(try await scene.bob.run("send", "kitchen", "--file", note), 5, "the state of an upload")
        #expect(scene.bob.names(in: "sending").isEmpty, "what was given up lies there")
        // An honest relay gets it whole.
        scene.proxy.behave()
        _ = try await scene.bob.sendFile(note, to: "kitchen")
        let copy = scene.house.folder.file("copy")
        let number = try #require(try await scene.alice.files(2, in: "kitchen").last?.number)
        try await scene.alice.done("save", "kitchen", "\(number)", "-o", copy)
        #expect(scene.read("copy") == scene.content)
    }
}
