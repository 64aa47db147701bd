package dev.perigee.testing.operate;

import java.util.stream.Collectors;

/** The reference page of all metrics, made from what a fleet exports. */
final class MetricsPage {
    private static final String PREFIX = "perigee_";
    private static final String HEAD =
            """
            # Metrics

            <!-- Made from what the parts of a running fleet export. -->

            Gateways and workers serve these at `/metrics` of their admin address, for Prometheus. A counter's name ends in `_total`; a timer
            is a histogram or summary of seconds with `_count` and `_sum`, and where it is a histogram `_bucket`. No label names a user, a team
            or a server: how many series there are depends on the size of the fleet alone.

            What they are for is in the [dashboards](../../infra/dashboards/grafana) and [alerts](../runbooks.md). Besides these there are those of
            the JVM (`jvm_*`, `process_*`, `system_*`) and, of gateways, those of their Kafka consumer (`kafka_consumer_*`), of which
            `kafka_consumer_fetch_manager_records_lag` says how many records of a partition have not been read.
            """;

    private MetricsPage() {}

    static String of(Scrape gateway, Scrape worker) {
        return HEAD + part("Gateway", gateway) + part("Worker", worker);
    }

    private static String part(String name, Scrape scrape) {
        return "\n## %s\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n"
                        .formatted(name)
                + scrape.families().values().stream()
                        .filter(family -> family.name().startsWith(PREFIX))
                        .map(
                                family ->
                                        "| `%s` | %s | %s | %s |\n"
                                                .formatted(
                                                        family.name(),
                                                        family.type(),
                                                        labels(scrape, family),
                                                        family.help()))
                        .collect(Collectors.joining());
    }

    private static String labels(Scrape scrape, Scrape.Family family) {
        return scrape.labels(family).stream()
                .map(label -> "`" + label + "`")
                .collect(Collectors.joining(" "));
    }
}
