# Stands for prom/prometheus where no registry can be reached, from Debian's package. For tests only.
ARG BASE=perigee-base-worker
FROM ${BASE}
RUN apt-get update -q \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends prometheus \
    && apt-get clean && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /etc/prometheus /prometheus && chown 65534:65534 /prometheus
USER 65534:65534
WORKDIR /prometheus
ENTRYPOINT ["/usr/bin/prometheus"]
