package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.settings.HostPort;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WorkerRosterTest {
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final WorkerSource.One ONE =
            new WorkerSource.One(URI.create("ws://127.0.0.1:1/link"));
    private static final WorkerSource.Addresses NAME =
            new WorkerSource.Addresses(URI.create("ws://workers.example:7070/link"));
    private static final WorkerSource.Services SERVICE =
            new WorkerSource.Services("wss", "_link._tcp.example", "/link");

    private final WorkerRoster roster = new WorkerRoster(List.of(ONE, NAME, SERVICE));

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> shown() {
        return roster.workers().stream().map(worker -> worker.shown().toString()).toList();
    }

    @Test
    void knowsWhatIsConfiguredAtOnce() {
        assertThat(shown()).containsExactly("ws://127.0.0.1:1/link");
        assertThat(roster.isComplete()).isFalse();
    }

    @Test
    void hasAWorkerForEachAddressAndTarget() {
        roster.found(NAME, NAME.workers(List.of(address("10.0.0.1"), address("fd00::2"))));
        roster.found(
                SERVICE,
                SERVICE.workers(
                        List.of(new HostPort("a.example", 1), new HostPort("b.example", 2))));

        assertThat(shown())
                .containsExactly(
                        "ws://127.0.0.1:1/link",
                        "ws://10.0.0.1:7070/link",
                        "ws://[fd00:0:0:0:0:0:0:2]:7070/link",
                        "wss://a.example:1/link",
                        "wss://b.example:2/link");
        assertThat(roster.workers())
                .filteredOn(worker -> worker.at() != null)
                .extracting(worker -> worker.uri().getHost())
                .as("what a certificate must name")
                .containsOnly("workers.example");
        assertThat(roster.isComplete()).isTrue();
    }

    @Test
    void saysWhatIsNewAndKeepsWhatTwoNamesHaveOnce() {
        var twice = new WorkerRoster(List.of(ONE, ONE, NAME));
        twice.found(NAME, NAME.workers(List.of(address("10.0.0.1"))));
        var first = twice.workers().getFirst();

        assertThat(twice.workers()).hasSize(2);
        assertThat(twice.missing(List.of(first)))
                .containsExactly(new WorkerAddress(NAME.uri(), address("10.0.0.1")));
    }

    @Test
    void dropsALinkOnlyWhenItsWorkerCanHostNothing() {
        var gone = new WorkerAddress(NAME.uri(), address("10.0.0.9"));
        var dead = NOW.minusSeconds(2 * 30 + 60);

        assertThat(roster.isOver(gone, view(LinkState.CONNECTED, null), NOW)).isFalse();
        assertThat(roster.isOver(gone, view(LinkState.RECOVERING, NOW), NOW)).isFalse();
        assertThat(roster.isOver(gone, view(LinkState.FAILED, dead.plusMillis(1)), NOW)).isFalse();
        assertThat(roster.isOver(gone, view(LinkState.FAILED, dead), NOW)).isTrue();
        assertThat(roster.isOver(gone, view(LinkState.CONNECTING, null), NOW)).isTrue();
        assertThat(
                        roster.isOver(
                                new WorkerAddress(ONE.uri(), null),
                                view(LinkState.FAILED, dead),
                                NOW))
                .isFalse();
    }

    private static WorkerView view(LinkState state, @Nullable Instant goneSince) {
        return new WorkerView(
                NAME.uri(),
                "worker-1",
                "first",
                state,
                NOW,
                goneSince,
                Duration.ofSeconds(30),
                100,
                SessionNotice.Phase.SERVING,
                null,
                false);
    }
}
