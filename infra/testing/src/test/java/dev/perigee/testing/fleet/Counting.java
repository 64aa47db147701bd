package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;

/**
 * A program without MCP that writes numbered lines, and what of them has arrived: by the log events
 * in their order, of which a repeat is known by its id.
 */
record Counting(FleetUnderTest fleet, Installation installation) {
    private static final String LOOP =
            "i=0; while :; do i=$((i+1)); echo line $i; sleep 0.05; done";

    static Counting on(FleetUnderTest fleet) {
        return new Counting(
                fleet,
                fleet.backend()
                        .install(
                                Installation.of("counting", "sh", List.of("-c", LOOP))
                                        .with("transport_type", "command")));
    }

    void awaitLines(int count) {
        Awaitility.await().atMost(Records.PATIENCE).until(() -> lines().size() >= count);
    }

    /** Waits for so many lines beyond those that have arrived. */
    void awaitMore(int count) {
        awaitLines(lines().size() + count);
    }

    /** No line is missing, none is doubled, all are in their order. */
    void isWhole() {
        var lines = lines();
        assertThat(lines)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, lines.size()).mapToObj(i -> "line " + i).toList());
    }

    List<String> lines() {
        var seen = new HashSet<String>();
        return fleet.records().on(Topic.LOGS).stream()
                .filter(record -> record.key().equals(installation.processId()))
                .filter(record -> seen.add(record.header("ce_id")))
                .flatMap(
                        record ->
                                StreamSupport.stream(
                                        record.json().path("logs").spliterator(), false))
                .map(line -> line.path("message").asString())
                .filter(line -> line.startsWith("line "))
                .toList();
    }
}
