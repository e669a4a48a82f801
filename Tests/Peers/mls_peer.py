"""Implementations of MLS that answer the calls of `mls_client.proto`: as lines of JSON, or over gRPC."""

import json
import shlex
import subprocess
import tempfile

import grpc
from google.protobuf import descriptor_pb2, json_format, message_factory

SECONDS = 120


class Failure(Exception):
    """Why a play ended before its end: who did what."""


def methods(folder):
    """The calls of `mls_client.proto` by their names: the classes of request and response, and the path of the call."""
    with tempfile.NamedTemporaryFile() as output:
        options = [f"--proto_path={folder}", f"--descriptor_set_out={output.name}"]
        subprocess.run(["protoc", *options, "mls_client.proto"], check=True)
        files = descriptor_pb2.FileDescriptorSet.FromString(output.read()).file
    classes = message_factory.GetMessages(files)
    for file in files:
        for service in file.service:
            for method in service.method:
                types = classes[method.input_type[1:]], classes[method.output_type[1:]]
                yield method.name, (*types, f"/{file.package}.{service.name}/{method.name}")


class Client:
    """One of the two implementations. A call's request and response are messages of the protocol."""

    def __init__(self, calls):
        self.calls = calls
        self.name = ""
        self.name = self.call("Name").name
        self.suites = frozenset(self.call("SupportedCiphersuites").ciphersuites)

    def call(self, name, **fields):
        request, response, path = self.calls[name]
        return self.answer(name, path, request(**fields), response)


class Lines(Client):
    """A program that answers each line of JSON with another."""

    def __init__(self, calls, path):
        self.program = path
        self.process = None
        super().__init__(calls)

    def start(self):
        """Begins anew: what earlier plays have left is gone."""
        self.stop()
        self.process = subprocess.Popen(shlex.split(self.program), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def stop(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def answer(self, name, path, request, response):
        if self.process is None:
            self.start()
        fields = json_format.MessageToDict(request, preserving_proto_field_name=True)
        self.process.stdin.write(json.dumps({"rpc": name, "request": fields}).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.stop()
            raise Failure(f"{self.name} ended at {name}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(f"{self.name} refused {name}: {answer['error']}")
        return json_format.ParseDict(answer["response"], response(), ignore_unknown_fields=True)


class Remote(Client):
    """An implementation behind a gRPC address."""

    def __init__(self, calls, address):
        self.channel = grpc.insecure_channel(address)
        super().__init__(calls)

    def stop(self):
        self.channel.close()

    def answer(self, name, path, request, response):
        method = self.channel.unary_unary(
            path,
            request_serializer=type(request).SerializeToString,
            response_deserializer=response.FromString,
        )
        try:
            return method(request, timeout=SECONDS)
        except grpc.RpcError as error:
            raise Failure(f"{self.name} refused {name}: {error.code().name}: {error.details()}") from error
