"""What the image holds, and that it works where nothing can be written and the base has to come by HTTPS.

A release tests what it pushed: ``EVALACTION_IMAGE`` names it.
"""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from support.endpoint import ScriptedEndpoint
from support.gitrepo import Repo, git
from support.payloads import of_pull
from support.pulls import PullRequest, new_pull
from support.story import lines

import evalaction

LABEL = "org.opencontainers.image."

pytestmark = [pytest.mark.engine, pytest.mark.timeout(600)]


def inside(image: str, script: str) -> list[str]:
    """Run a script with the image's own Python, which can write nothing, and return the lines that it prints."""
    command = [
        "docker",
        "run",
        "--rm",
        "--read-only",
        "--network",
        "none",
        "--entrypoint",
        "/opt/evalaction/bin/python",
    ]
    result = subprocess.run([*command, image, "-I", "-c", script], capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def test_image__labels(image: str) -> None:
    """A build says what it is; where it comes from and when it was made it says only when a release told it."""
    found = subprocess.run(
        ["docker", "inspect", "--format", "{{json .Config.Labels}}", image], capture_output=True, text=True, check=True
    )
    labels = {name.removeprefix(LABEL): text for name, text in json.loads(found.stdout).items() if LABEL in name}
    told = ("base.digest", "base.name", "created", "revision", "source", "version")
    released = {name: labels.pop(name, None) for name in told}
    assert labels == {
        "title": "evalaction",
        "description": "Redraws affected prompt cases n times and reports which answers flip",
        "licenses": "MIT",
    }
    if "EVALACTION_IMAGE" in os.environ:
        assert released["version"] == evalaction.__version__
        assert None not in released.values()
    else:
        assert released == dict.fromkeys(released)


def test_image__packages(image: str) -> None:
    """The list of packages has git and no Perl but the base's own, and the virtual environment can install nothing."""
    script = (
        "import os, subprocess\n"
        "listed = subprocess.run(['dpkg-query', '--show', '--showformat', '${Package}\\n'],\n"
        "                        capture_output=True, text=True, check=True).stdout.split()\n"
        "print(*[name for name in listed if name == 'git' or 'perl' in name])\n"
        "print(*sorted(name for name in os.listdir('/opt/evalaction/bin') if 'pip' in name))\n"
        "print(*[name for name in ('pip', 'setuptools') if __import__('importlib.util').util.find_spec(name)])\n"
        "print(*os.listdir('/var/lib/apt/lists'), *os.listdir('/var/cache/apt'))\n"
    )
    assert inside(image, script) == ["git perl-base", "", "", ""]


def test_image__compiled(image: str) -> None:
    """Every module that a run loads was compiled when the image was built: it starts without compiling any."""
    script = (
        "import importlib.util, pathlib, pkgutil, sys\n"
        "import evalaction, github, httpx, jinja2, jsonschema, referencing, rich.console, rich.table, yaml\n"
        "for found in pkgutil.walk_packages(evalaction.__path__, 'evalaction.'):\n"
        "    if not found.name.startswith(('evalaction.demo', 'evalaction.__main__')):\n"
        "        importlib.import_module(found.name)\n"
        "files = [module.__spec__.origin for module in sys.modules.values() if getattr(module, '__spec__', None)]\n"
        "sources = [file for file in files if file and file.endswith('.py')]\n"
        "print(len(sources) > 500)\n"
        "print(*[file for file in sources if not pathlib.Path(importlib.util.cache_from_source(file)).exists()])\n"
    )
    assert inside(image, script) == ["True", ""]


class GitOverHttps(BaseHTTPRequestHandler):
    """git's own server program, behind Python's."""

    root: Path
    asked: list[str]

    def answer(self) -> None:
        """Hand one request to ``git http-backend``, and its answer back."""
        path, _, query = self.path.partition("?")
        self.asked.append(path)
        environ = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
        }
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        done = subprocess.run(["git", "http-backend"], input=sent, env=environ, capture_output=True, check=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(row.split(": ", 1) for row in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer  # noqa: N815 - the names by which http.server calls them

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path, certificate: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the repositories of a folder by HTTPS on loopback; yields the address, and the paths asked for."""
    key = certificate.with_suffix(".key")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, capture_output=True, check=True)
    asked: list[str] = []
    handler = type("Handler", (GitOverHttps,), {"root": folder, "asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def new_origin(path: Path) -> PullRequest:
    """Make a repository that gives filtered clones, with a pull request that changes one prompt of two."""
    cases = [
        {"id": name, "prompt_file": f"{name}.txt", "expect_keys": ["status"], "max_completion_tokens": 20, "n": 2}
        for name in ("refund", "shipping")
    ]
    pull = new_pull(
        path,
        base={
            "golden.jsonl": lines(*cases),
            "refund.txt": "Can order 7 be refunded?\n",
            "shipping.txt": "Where is order 7?\n",
        },
        heads=[{"refund.txt": "May order 7 be refunded?\n"}],
        main={"README.md": "Something else happened on main.\n"},
    )
    pull.origin.git("config", "uploadpack.allowFilter", "true")
    pull.origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
    return pull


def test_image__read_only_and_https(image: str, tmp_path: Path) -> None:
    """Nothing but the workspace can be written, HOME is missing, PATH is the job's, and git gets the base by HTTPS.

    The clone is shallow and filtered: the base commit is fetched, the history deepened, and contents come one by one.
    """
    pull = new_origin(tmp_path / "served" / "origin")
    certificate = tmp_path / "ca.pem"
    workspace = tmp_path / "workspace"
    with (
        served(tmp_path / "served", certificate) as (address, asked),
        ScriptedEndpoint.answering(lambda *_: '{"status": "yes"}') as endpoint,
    ):
        trust = ("-c", f"http.sslCAInfo={certificate}")
        options = ("--depth=1", "--filter=blob:none", f"--branch={pull.branch}", "--quiet")
        git(tmp_path, "clone", *trust, *options, f"{address}/origin/.git", str(workspace))
        event = tmp_path / "event.json"
        whole = of_pull("pull_request.opened", base_sha=pull.m1, head_sha=pull.head, branch=pull.branch)
        event.write_text(json.dumps(whole))
        environ = {
            "HOME": "/nowhere",
            "PATH": "/opt/hostedtoolcache/bin:/usr/local/bin:/usr/bin:/bin",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": "/github/workspace",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": "/github/workflow/event.json",
            "INPUT_BASE-URL": endpoint.base_url,
            "INPUT_MODEL": "m",
        }
        command = ["docker", "run", "--rm", "--read-only", "--network", "host", "--workdir", "/github/workspace"]
        command += [word for name, value in environ.items() for word in ("-e", f"{name}={value}")]
        command += ["-v", f"{workspace}:/github/workspace", "-v", f"{certificate}:{certificate}:ro"]
        command += ["-v", f"{event}:/github/workflow/event.json:ro"]
        before = len(asked)
        ran = subprocess.run([*command, image], capture_output=True, text=True, check=False, timeout=120)
        fetched = asked[before:]
        requests = [request.json["messages"] for request in endpoint.requests]
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert requests == [[{"role": "user", "content": "May order 7 be refunded?"}]] * 2
    assert "/origin/.git/git-upload-pack" in fetched
    assert Repo(workspace).git("status", "--porcelain") == "?? evalaction-report/"
