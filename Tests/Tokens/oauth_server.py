#!/usr/bin/env python3
"""An OAuth 2.0 server for the tests, by Authlib: everything that decides is its own.

It listens on 127.0.0.1 at a port that the system chooses, says "listening PORT", and forgets everything when it ends.
Access tokens live for two seconds, or for OAUTH_LIFETIME. Clients: "public" (PKCE); "post" with the secret "a secret:+/ä"; "basic" with one of
plain letters, since this Authlib takes a secret in the Authorization field as it stands, not form-encoded (RFC 6749,
section 2.3.1).
GET /authorize signs "someone" in at once, or refuses with ?deny=1; /device?user_code=… approves a device, or with &deny=1
refuses it. /issued tells the tests every token that was given out, and how often one was refreshed.
"""
import os
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector, current_token
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, AuthorizationCodeMixin, grants, scope_to_list
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2 import rfc8628
from flask import Flask, jsonify, request
from werkzeug.serving import make_server

LIFETIME = int(os.environ.get("OAUTH_LIFETIME", "2"))
SECRETS = {"basic": "a-secret.of_letters~", "post": "a secret:+/ä"}


class Client(ClientMixin):
    def __init__(self, client_id, method):
        self.client_id, self.method = client_id, method

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(s for s in scope_to_list(scope) if s in ("read", "write")) if scope else ""

    def check_redirect_uri(self, uri):
        return uri.startswith("http://127.0.0.1:") and uri.endswith("/callback")

    def check_client_secret(self, secret):
        return secret == SECRETS[self.client_id]

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return True


CLIENTS = {name: Client(name, method) for name, method in
           (("public", "none"), ("basic", "client_secret_basic"), ("post", "client_secret_post"))}


class Token(TokenMixin):
    def __init__(self, client_id, user, data):
        self.client_id, self.user = client_id, user
        self.access, self.refresh = data["access_token"], data.get("refresh_token")
        self.scope, self.until = data.get("scope", ""), time.time() + data["expires_in"]
        self.is_access_revoked = self.is_refresh_revoked = False

    def check_client(self, client):
        return self.client_id == client.client_id

    def get_scope(self):
        return self.scope

    def get_expires_in(self):
        return LIFETIME

    def is_expired(self):
        return time.time() > self.until

    def is_revoked(self):
        return self.is_access_revoked


class Code(AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class Device(rfc8628.DeviceCredentialMixin):
    def __init__(self, client_id, scope, data):
        self.client_id, self.scope, self.user_code = client_id, scope, data["user_code"]
        self.until, self.last, self.decision = time.time() + data["expires_in"], 0, None

    def get_client_id(self):
        return self.client_id

    def get_scope(self):
        return self.scope

    def get_user_code(self):
        return self.user_code

    def is_expired(self):
        return time.time() > self.until


TOKENS, CODES, DEVICES, REFRESHES = [], {}, {}, []


def save_token(data, request):
    TOKENS.append(Token(request.client.client_id, request.user, data))


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def save_authorization_code(self, code, request):
        CODES[code] = Code(code=code, client_id=request.client.client_id, redirect_uri=request.redirect_uri,
                           scope=request.scope, code_challenge=request.data.get("code_challenge"),
                           code_challenge_method=request.data.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = CODES.get(code)
        return found if found and found.client_id == client.client_id else None

    def delete_authorization_code(self, authorization_code):
        del CODES[authorization_code.code]

    def authenticate_user(self, authorization_code):
        return "someone"


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        for token in TOKENS:
            if token.refresh == refresh_token and not token.is_refresh_revoked:
                return token

    def authenticate_user(self, credential):
        return credential.user

    def revoke_old_credential(self, credential):
        REFRESHES.append(credential)
        credential.is_access_revoked = credential.is_refresh_revoked = True


class ClientGrant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


class DeviceEndpoint(rfc8628.DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]
    INTERVAL = 1

    def get_verification_uri(self):
        return request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        DEVICES[data["device_code"]] = Device(client_id, scope, data)


class DeviceGrant(rfc8628.DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def query_device_credential(self, device_code):
        return DEVICES.get(device_code)

    def query_user_grant(self, user_code):
        for device in DEVICES.values():
            if device.user_code == user_code and device.decision is not None:
                return "someone", device.decision

    def should_slow_down(self, credential):
        early, credential.last = time.time() - credential.last < 0.9, time.time()
        return early


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def query_token(self, token_string, token_type_hint):
        for token in TOKENS:
            if token_string in (token.access, token.refresh):
                return token

    def revoke_token(self, token, request):
        token.is_access_revoked = token.is_refresh_revoked = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        for token in TOKENS:
            if token.access == token_string:
                return token


app = Flask(__name__)
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {name: LIFETIME for name in (
    "authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code")}
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save_token)
server.register_grant(CodeGrant, [CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_grant(ClientGrant)
server.register_grant(DeviceGrant)
server.register_endpoint(DeviceEndpoint)
server.register_endpoint(Revocation)
protect = ResourceProtector()
protect.register_token_validator(Validator())


@app.route("/authorize")
def authorize():
    user = None if request.args.get("deny") else "someone"
    return server.create_authorization_response(grant_user=user)


@app.route("/token", methods=["POST"])
def token():
    return server.create_token_response()


@app.route("/revoke", methods=["POST"])
def revoke():
    return server.create_endpoint_response("revocation")


@app.route("/device_authorization", methods=["POST"])
def device_authorization():
    return server.create_endpoint_response("device_authorization")


@app.route("/device")
def approve():
    for device in DEVICES.values():
        if device.user_code == request.args.get("user_code"):
            device.decision = not request.args.get("deny")
    return "thank you"


@app.route("/issued")
def issued():
    tokens = [text for token in TOKENS for text in (token.access, token.refresh) if text]
    return jsonify(tokens=tokens, refreshes=len(REFRESHES))


@app.route("/resource")
@protect("read")
def resource():
    return jsonify(user=current_token.user, client=current_token.client_id)


@app.route("/.well-known/oauth-authorization-server")
def metadata():
    root = request.host_url
    return jsonify(issuer=root.rstrip("/"), token_endpoint=root + "token", authorization_endpoint=root + "authorize",
                   revocation_endpoint=root + "revoke", device_authorization_endpoint=root + "device_authorization",
                   response_types_supported=["code"], code_challenge_methods_supported=["S256"])


listener = make_server("127.0.0.1", 0, app, threaded=True)
print(f"listening {listener.server_port}", flush=True)
listener.serve_forever()
