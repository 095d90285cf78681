# The command line in a small image, not as root:
#   docker build -t toolgauge .
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" toolgauge run mini -m builtin/noisy
# Extras are named when it is built: --build-arg EXTRAS=parquet,review
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
ARG EXTRAS=""
WORKDIR /source
COPY . .
RUN python -m venv /opt/toolgauge \
 && /opt/toolgauge/bin/pip install --no-cache-dir --disable-pip-version-check -c constraints.txt ".[${EXTRAS}]"

FROM python:${PYTHON}-slim
COPY --from=build /opt/toolgauge /opt/toolgauge
# Downloaded data lie in /cache, which a volume can keep; both folders can be written whoever --user names.
RUN useradd --create-home --uid 1000 toolgauge \
 && install -d -m 1777 /work /cache
ENV PATH=/opt/toolgauge/bin:$PATH \
    TOOLGAUGE_CACHE=/cache
USER 1000
WORKDIR /work
ENTRYPOINT ["toolgauge"]
CMD ["--help"]
