# Stands for apache/kafka where no registry can be reached: the same variables, from Maven's jars on Debian. For tests only.
ARG BASE=perigee-base-worker
FROM ${BASE}
COPY jre /opt/java
COPY cli/lib /opt/kafka/libs
COPY kafka-entrypoint /opt/kafka/entrypoint
COPY kafka-logback.xml /opt/kafka/logback.xml
RUN mkdir -p /var/lib/kafka/data && chown 1000:1000 /var/lib/kafka/data
USER 1000:1000
WORKDIR /tmp
ENTRYPOINT ["/bin/bash", "/opt/kafka/entrypoint"]
