FROM python:3.13-slim AS build
COPY requirements/build.txt requirements/runtime.txt /build/requirements/
RUN python -m pip install --no-cache-dir --require-hashes -r /build/requirements/build.txt \
 && python -m venv --without-pip /opt/evalaction \
 && python -m pip --python /opt/evalaction/bin/python install --no-cache-dir --require-hashes -r /build/requirements/runtime.txt
COPY pyproject.toml README.md CHANGELOG.md LICENSE /build/
COPY evalaction /build/evalaction
RUN python -m pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /build/wheels /build \
 && python -m pip --python /opt/evalaction/bin/python install --no-cache-dir --no-deps --no-index /build/wheels/*.whl

FROM python:3.13-slim
LABEL org.opencontainers.image.title="evalaction" \
      org.opencontainers.image.description="Redraws affected prompt cases n times and reports which answers flip" \
      org.opencontainers.image.licenses="MIT"
# git reads the repository. Its version is the distribution's: a pinned one disappears with the next security update.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/evalaction /opt/evalaction
COPY entrypoint.py /opt/evalaction/entrypoint.py
# Absolute, since a runner may pass its own PATH in; -I, so that nothing in the workspace is imported.
# No USER and no WORKDIR: a runner's files belong to root, and it says itself where to work.
ENTRYPOINT ["/opt/evalaction/bin/python", "-I", "/opt/evalaction/entrypoint.py"]
