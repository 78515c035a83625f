"""What the workflow that releases asks docker, gh and git for, job by job, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.gitrepo import Repo
from support.releasing import DIGEST, IMAGE, NAME, ROOT, WORKFLOW, Ran, checkout_of, new_origin, run_job

AMD64, ARM64 = "sha256:" + "a" * 64, "sha256:" + "b" * 64
BASE = "python:3.13-slim@sha256:" + "c" * 64


@pytest.fixture
def origin(tmp_path: Path) -> Repo:
    """The project's repository."""
    return new_origin(tmp_path)


@pytest.fixture
def checkout(origin: Repo, tmp_path: Path) -> Repo:
    """A checkout of it, as a workflow has it."""
    return checkout_of(origin, tmp_path / "checkout")


def test_workflow__prepare(checkout: Repo) -> None:
    """The base is named by the digest that its tag has now, and the image in lower case, as a registry wants it."""
    ran = run_job(checkout, "prepare")
    commit = "c" * 40
    assert ran.failed is None
    assert ran.calls == [
        f"gh run list --workflow ci.yml --branch main --commit {commit} --status success --json databaseId --jq length",
        "docker buildx imagetools inspect --format {{.Manifest.Digest}} python:3.13-slim",
    ]
    assert re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z", ran.outputs.pop("created"))
    assert ran.outputs == {"base": f"python:3.13-slim@{DIGEST}", "image": NAME}


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"GITHUB_REF": "refs/heads/change"}, "::error::Run this workflow on main.\n"),
        ({"VERSION": "1.2.4"}, "error: evalaction/__init__.py says 1.2.3, not 1.2.4.\n"),
        ({"VERSION": "$(touch x)"}, "error: '$(touch x)' is no version: write X.Y.Z, without a v.\n"),
        ({"PASSED": "0"}, f"::error::ci has not passed for {'c' * 40}.\n"),
    ],
)
def test_workflow__prepare_refused(checkout: Repo, environ: dict[str, str], message: str) -> None:
    """Nothing is built of another branch, another version, or a commit that has not passed."""
    ran = run_job(checkout, "prepare", **environ)
    assert (ran.outputs, ran.failed) == ({}, message)


BUILD = {"BASE": BASE, "CREATED": "2026-12-01T00:00:00Z", "IMAGE": NAME, "PLATFORM": "arm64", "DIGEST": ARM64}


@pytest.mark.jq
def test_workflow__build(checkout: Repo) -> None:
    """An image is pushed by digest alone, with labels, provenance and its list of contents, and then started."""
    ran = run_job(checkout, "build", **BUILD, PUSHED=ARM64, SAYS="1.2.3", ENDS="2")
    label, place = "--label org.opencontainers.image", checkout.path.parent / "build"
    assert ran.failed is None
    assert ran.outputs == {"arm64": ARM64, "digest": ARM64}
    assert ran.calls == [
        "docker login ghcr.io --username somebody --password-stdin",
        "docker buildx create --use",
        f"docker buildx build . --platform linux/arm64 --build-arg BASE={BASE} {label}.version=1.2.3 "
        f"{label}.revision={'c' * 40} {label}.created=2026-12-01T00:00:00Z "
        f"{label}.source=https://github.com/Octo-Org/evalaction "
        f"{label}.base.name=docker.io/library/python:3.13-slim {label}.base.digest=sha256:{'c' * 64} "
        f"--provenance=mode=max --sbom=true --metadata-file {place}/pushed.json "
        f"--output type=image,name={NAME},push-by-digest=true,name-canonical=true,push=true",
        f"docker run --rm --read-only --entrypoint /opt/evalaction/bin/evalaction {NAME}@{ARM64} --version",
        f"docker run --rm --read-only {NAME}@{ARM64}",
    ]


@pytest.mark.jq
@pytest.mark.parametrize(
    ("given", "outputs"),
    [
        ({"PUSHED": "null"}, set()),
        ({"SAYS": "1.2.30"}, {"arm64", "digest"}),
        ({"ENDS": "0"}, {"arm64", "digest"}),
        ({"ENDS": "3"}, {"arm64", "digest"}),
    ],
)
def test_workflow__build_refused(checkout: Repo, given: dict[str, str], outputs: set[str]) -> None:
    """A push without a digest fails, and so does an image of another version, or one that takes no input for good."""
    ran = run_job(checkout, "build", **{**BUILD, "PUSHED": ARM64, "SAYS": "1.2.3", "ENDS": "2", **given})
    assert ran.failed is not None
    assert ran.outputs.keys() == outputs


Member = tuple[str, str]
"""Platform and digest of a manifest in an index."""
BUILT: dict[str, list[Member]] = {
    AMD64: [("linux/amd64", "sha256:" + "1" * 64), ("unknown/unknown", "sha256:" + "2" * 64)],
    ARM64: [("linux/arm64", "sha256:" + "3" * 64), ("unknown/unknown", "sha256:" + "4" * 64)],
}
"""Each platform's own index: the image, and what is attested of it at the build."""
CONTENTS = '{"packages": [{"name": "git"}]}'
TOGETHER = [*BUILT[AMD64], *BUILT[ARM64]]


def join(checkout: Repo, joined: list[Member], *, built: dict[str, list[Member]], contents: str) -> Ran:
    """Run the job that joins the platforms, in a registry with these indexes."""
    indexes = checkout.path.parent / "indexes"
    indexes.mkdir()
    for digest, members in {**built, DIGEST: joined}.items():
        manifests = [
            {"digest": own, "platform": dict(zip(("os", "architecture"), platform.split("/"), strict=True))}
            for platform, own in members
        ]
        (indexes / digest.removeprefix("sha256:")).write_text(json.dumps({"manifests": manifests}))
    place = {"IMAGE": NAME, "JOINED": f"{NAME}:run-7-1", "DIGEST": DIGEST, "INDEXES": str(indexes)}
    return run_job(checkout, "index", AMD64=AMD64, ARM64=ARM64, CONTENTS=contents, **place)


@pytest.mark.jq
def test_workflow__index(checkout: Repo) -> None:
    """What was joined holds what was built, in whatever order; before it is published it has a tag of the run alone."""
    ran = join(checkout, TOGETHER[::-1], built=BUILT, contents=CONTENTS)
    inspect, sbom = "docker buildx imagetools inspect", '{{json (index .SBOM "linux/%s").SPDX}}'
    assert ran.failed is None
    assert ran.outputs == {"amd64": "sha256:" + "1" * 64, "arm64": "sha256:" + "3" * 64, "digest": DIGEST}
    assert ran.calls == [
        "docker login ghcr.io --username somebody --password-stdin",
        f"docker buildx imagetools create --tag {NAME}:run-7-1 {NAME}@{AMD64} {NAME}@{ARM64}",
        f"{inspect} --format {{{{.Manifest.Digest}}}} {NAME}:run-7-1",
        f"{inspect} --raw {NAME}@{AMD64}",
        f"{inspect} --raw {NAME}@{ARM64}",
        f"{inspect} --raw {NAME}@{DIGEST}",
        f"{inspect} --format {sbom % 'amd64'} {NAME}@{DIGEST}",
        f"{inspect} --format {sbom % 'arm64'} {NAME}@{DIGEST}",
        f"gh attestation verify oci://{NAME}@{DIGEST} --repo Octo-Org/evalaction --signer-workflow "
        "Octo-Org/evalaction/.github/workflows/release.yml --source-ref refs/heads/main",
    ]


@pytest.mark.jq
@pytest.mark.parametrize(
    "joined",
    [
        [],
        TOGETHER[1:],
        [*TOGETHER, ("linux/arm64", "sha256:" + "5" * 64)],
        [("linux/amd64", "sha256:" + "5" * 64), *TOGETHER[1:]],
        [("linux/arm64", TOGETHER[0][1]), *TOGETHER[1:]],
    ],
    ids=["nothing", "one less", "one more", "another image", "another platform"],
)
def test_workflow__index_of_something_else(checkout: Repo, joined: list[Member]) -> None:
    """A tag that somebody moved meanwhile is noticed before anything is attested."""
    ran = join(checkout, joined, built=BUILT, contents=CONTENTS)
    assert ran.failed is not None
    assert ran.failed.splitlines()[-1] == f"::error::{NAME}@{DIGEST} does not hold exactly what was built."
    assert ran.outputs == {}


@pytest.mark.jq
@pytest.mark.parametrize(
    ("built", "contents", "message"),
    [
        (BUILT, '{"packages": []}', "false\n"),
        (BUILT, "null", "false\n"),
        ({**BUILT, AMD64: BUILT[AMD64][1:]}, CONTENTS, ""),
        ({**BUILT, AMD64: [*BUILT[AMD64], ("linux/amd64", "sha256:" + "5" * 64)]}, CONTENTS, ""),
    ],
    ids=["empty list of contents", "no list of contents", "a platform missing", "a platform twice"],
)
def test_workflow__index_refused(checkout: Repo, built: dict[str, list[Member]], contents: str, message: str) -> None:
    """Each platform is there once, with a list of contents, or nothing is attested."""
    ran = join(checkout, [*built[AMD64], *built[ARM64]], built=built, contents=contents)
    assert (ran.outputs, ran.failed) == ({}, message)


def test_workflow__publish(checkout: Repo, origin: Repo) -> None:
    """Image and commit are tagged, the release takes the changelog's notes, and the major tag moves last."""
    ran = run_job(checkout, "publish", IMAGE=NAME, DIGEST=DIGEST, GH_TOKEN="secret")
    assert ran.failed is None
    notes = checkout.path.parent / "publish" / "notes.md"
    assert ran.calls == [
        "docker login ghcr.io --username somebody --password-stdin",
        f"docker buildx imagetools create --tag {NAME}:1.2.3 {IMAGE}",
        f"docker buildx imagetools inspect --format {{{{.Manifest.Digest}}}} {NAME}:1.2.3",
        "gh auth setup-git",
        f"gh release create v1.2.3 --verify-tag --title v1.2.3 --notes-file {notes}",
    ]
    assert notes.read_text() == "### Added\n\n- A thing.\n"
    assert origin.git("rev-parse", "v1.2.3^", "v1").split() == [
        origin.git("rev-parse", "main"),
        origin.git("rev-parse", "v1.2.3"),
    ]


def test_workflow__publish_of_something_else(checkout: Repo, origin: Repo) -> None:
    """No commit is tagged when the image's tag leads elsewhere."""
    ran = run_job(checkout, "publish", IMAGE=NAME, DIGEST=DIGEST, PUSHED=AMD64, GH_TOKEN="secret")
    assert ran.failed == f"::error::{NAME}:1.2.3 is {AMD64}, not {DIGEST}.\n"
    assert origin.git("tag", "--list").split() == ["v1", "v1.2.2"]


def test_workflow__version_tag() -> None:
    """The tag of a version is set in the last job, after the second approval; until then there is one of the run."""
    tags = {
        name: re.findall(r"--tag (\S+)", "\n".join(step.get("run", "") for step in job["steps"]))
        for name, job in WORKFLOW["jobs"].items()
    }
    assert {name: found for name, found in tags.items() if found} == {
        "index": ['"$JOINED"'],
        "publish": ['"$IMAGE:$VERSION"'],
    }
    (step,) = (step for step in WORKFLOW["jobs"]["index"]["steps"] if step.get("id") == "join")
    assert step["env"]["JOINED"].endswith(":run-${{ github.run_id }}-${{ github.run_attempt }}")


@pytest.mark.parametrize("document", ["docs/image.md", ".github/RELEASING.md"])
def test_verify__as_the_workflow_does(document: str) -> None:
    """People are told to verify just what the workflow verifies: who signed, and on which branch."""
    (step,) = (step for step in WORKFLOW["jobs"]["index"]["steps"] if step.get("name") == "Verify as a user would")
    command = r"gh attestation verify .*?--source-ref \S+"
    own, said = (
        re.findall(command, " ".join(text.replace("\\\n", " ").split()))
        for text in (step["run"], (ROOT / document).read_text())
    )
    assert [re.sub(r"oci://\S+", "oci://IMAGE", each) for each in said] == [
        re.sub(r'"oci://\S+"', "oci://IMAGE", each)
        .replace('"$GITHUB_REPOSITORY/.github/workflows/release.yml"', "OWNER/evalaction/.github/workflows/release.yml")
        .replace('"$GITHUB_REPOSITORY"', "OWNER/evalaction")
        for each in own
    ]
    assert len(said) == 1


def test_workflow__rights() -> None:
    """Only the last job may write to the repository, and only after the image was tested; both gates are named."""
    jobs = WORKFLOW["jobs"]
    writes = {
        name: sorted(scope for scope, level in job["permissions"].items() if level == "write")
        for name, job in jobs.items()
    }
    assert writes == {
        "prepare": [],
        "build": ["packages"],
        "index": ["attestations", "id-token", "packages"],
        "test": [],
        "publish": ["contents", "packages"],
    }
    assert {"index", "test"} < set(jobs["publish"]["needs"])
    assert [name for name, job in jobs.items() if job.get("environment") == "release"] == ["build", "publish"]
