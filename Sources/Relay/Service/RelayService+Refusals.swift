import MildamRelayAPI
import MildamTransport

/// What is decided by a request's head alone, before its content is taken.
extension RelayService {
    /// Content that is longer than anybody may send: only where the route takes it, and from those whom it takes it from.
    func maximumBody(of request: HTTPRequest) -> Int? {
        guard let place = long(request) else { return nil }
        return place.isOpen || (try? holder(of: request)) != nil ? place.maximumBody : nil
    }

    /// Where a request goes, if content that is longer than anybody may send is taken there.
    private func long(_ request: HTTPRequest) -> (isOpen: Bool, maximumBody: Int)? {
        guard let place = try? RouteTable.find(request.target.path).place, place.maximumBody > Limits.shortBody,
            let handler = place.handler(of: request.method)
        else { return nil }
        return (handler.route.isOpen, place.maximumBody)
    }

    private func holder(of request: HTTPRequest) throws(APIError) -> Sender {
        try parts.tokens.holder(authorization: request.fields.onlyValue(of: "Authorization"))
    }

    /// The server's own refusals, as the relay's errors.
    func refusal(_ status: Int, of request: HTTPRequest?) -> HTTPResponse {
        let error =
            switch status {
            case 408: APIError(.unavailable, "the request came too slowly; try again")
            case 413: tooLarge(request)
            case 503: APIError(.unavailable, "too much is being received; try again")
            default: APIError(.badRequest, "the relay does not take a request like this")
            }
        parts.metrics.answered(nil, status: status)
        var response = HTTPResponse.error(error)
        // A token that is missing is said first, whatever else is wrong.
        if status != 413 { response.status = status }
        return response
    }

    /// A body that is too long for a stranger may be right for the one who forgot, or must renew, a token.
    private func tooLarge(_ request: HTTPRequest?) -> APIError {
        if let request, let place = long(request), !place.isOpen {
            do throws(APIError) {
                _ = try holder(of: request)
            } catch {
                return error
            }
        }
        return APIError(.tooLarge, "the body is longer than this route takes")
    }
}
