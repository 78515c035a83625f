# A release names the base by digest: --build-arg BASE=python:3.13-slim@sha256:…
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
COPY requirements/build.txt requirements/runtime.txt /build/requirements/
RUN python -m pip install --no-cache-dir --require-hashes -r /build/requirements/build.txt \
 && python -m venv --without-pip /opt/evalaction \
 && python -m pip --python /opt/evalaction/bin/python install --no-cache-dir --no-compile --require-hashes \
      -r /build/requirements/runtime.txt
COPY pyproject.toml README.md CHANGELOG.md LICENSE /build/
COPY evalaction /build/evalaction
# Compiled here, since a container begins anew each time; by unchecked hash, so that no file's date makes it void.
RUN python -m pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /build/wheels /build \
 && python -m pip --python /opt/evalaction/bin/python install --no-cache-dir --no-compile --no-deps --no-index \
      /build/wheels/*.whl \
 && /opt/evalaction/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/evalaction/lib
COPY entrypoint.py /opt/evalaction/entrypoint.py

FROM ${BASE}
LABEL org.opencontainers.image.title="evalaction" \
      org.opencontainers.image.description="Redraws affected prompt cases n times and reports which answers flip" \
      org.opencontainers.image.licenses="MIT"
# git reads the repository. Its version is the distribution's: a pinned one disappears with the next security update.
# Most of its weight is Perl, in which only commands are written that are never called here. dpkg's own list stays true:
# a scanner sees git and its libraries, and no Perl.
COPY requirements/git.dpkg /etc/dpkg/dpkg.cfg.d/git
# hadolint ignore=DL3008,SC2046
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && dpkg --purge --force-depends \
      $(dpkg-query --show --showformat '${Package}\n' git-man liberror-perl 'libperl5*' perl 'perl-modules-*') \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log \
 && git --version
# The base has its standard library as source alone.
RUN python -m compileall -q --invalidation-mode unchecked-hash \
      -x '/(ensurepip|idlelib|pydoc_data|site-packages|test|tests|tkinter|turtledemo|unittest)/' \
      "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY --from=build /opt/evalaction /opt/evalaction
# Absolute, since a runner may pass its own PATH in; -I, so that nothing in the workspace is imported.
# No USER and no WORKDIR: a runner's files belong to root, and it says itself where to work.
ENTRYPOINT ["/opt/evalaction/bin/python", "-I", "/opt/evalaction/entrypoint.py"]
