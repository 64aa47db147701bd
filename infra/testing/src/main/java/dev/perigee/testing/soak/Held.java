package dev.perigee.testing.soak;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds in a page of metrics how much a part holds that it has to pass on. Without I/O. */
final class Held {
    private static final List<String> METRICS =
            List.of(
                    "perigee_gateway_publish_held",
                    "perigee_gateway_records_open",
                    "perigee_gateway_transaction_waiting",
                    "perigee_link_calls_in_flight",
                    "perigee_worker_journal_entries",
                    "perigee_worker_requests_running",
                    "perigee_worker_sessions{attached=\"false\"}");

    private Held() {}

    /** How much, by metric with its labels. */
    static Map<String, Double> in(String page) {
        var held = new TreeMap<String, Double>();
        for (var line : page.split("\n")) {
            int end = line.lastIndexOf(' ');
            if (end > 0
                    && METRICS.stream().anyMatch(metric -> is(line.substring(0, end), metric))) {
                held.put(line.substring(0, end), Double.valueOf(line.substring(end + 1)));
            }
        }
        return held;
    }

    private static boolean is(String named, String metric) {
        return named.equals(metric) || named.startsWith(metric + "{");
    }
}
