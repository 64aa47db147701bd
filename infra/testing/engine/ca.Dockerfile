# A worker's base behind a proxy that reads along: with its certificate, as docs/operations.md says. For tests only.
ARG BASE=perigee-base-worker
FROM ${BASE}
COPY ca.pem /etc/ssl/certs/proxy.pem
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/proxy.pem
