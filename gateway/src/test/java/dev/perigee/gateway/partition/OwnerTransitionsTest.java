package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.gateway.link.LinkFailure;
import dev.perigee.gateway.partition.OwnerTransitions.Ownership;
import dev.perigee.gateway.partition.OwnerTransitions.Transition;
import dev.perigee.gateway.placement.LastHeld;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The transitions of a partition's owner")
final class OwnerTransitionsTest {
    private static final Path PAGE = Path.of("../docs/reference/sessions.md");
    private static final Instant GAINED = Instant.parse("2026-11-20T10:00:00Z");
    private static final Instant NOW = GAINED.plusSeconds(60);

    private Ownership own = Ownership.begun(LastHeld.gained(GAINED));

    static Stream<Transition> all() {
        return OwnerTransitions.all().stream();
    }

    @Test
    @DisplayName("are each taken in some history, and nothing else happens in any")
    void reachable() {
        Set<Transition> taken = new HashSet<>();
        Set<OwnerHistory> seen = new HashSet<>();
        var open = new ArrayDeque<>(List.of(OwnerHistory.BEGIN));
        while (!open.isEmpty()) {
            var before = open.pop();
            if (seen.add(before)) {
                assertThat(before.isWrong()).as("%s", before).isFalse();
                for (var event : before.possible()) {
                    var row = next(before.stage(), event);
                    taken.add(row);
                    open.add(before.after(row));
                }
                if (before.isBeginning()) {
                    open.add(before.begun());
                }
            }
        }
        assertThat(taken).containsExactlyInAnyOrderElementsOf(OwnerTransitions.all());
    }

    private static Transition next(OwnerStage stage, OwnerEvent event) {
        var owner = new Ownership(stage, LastHeld.gained(GAINED), OwnerTransitions.LONGEST_PAUSE);
        return OwnerTransitions.next(owner, event, NOW).taken();
    }

    @Test
    @DisplayName("are refused where there is none")
    void illegal() {
        for (var stage : OwnerStage.values()) {
            for (var event : OwnerEvent.values()) {
                if (all().noneMatch(row -> row.from() == stage && row.event() == event)) {
                    assertThatThrownBy(() -> next(stage, event))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining(stage.toString())
                            .hasMessageContaining(event.toString());
                }
            }
        }
        assertThat(all()).noneMatch(row -> row.from() == OwnerStage.ENDED);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("end a session for each failure of its link")
    void failures(LinkFailure failure) {
        var row = next(OwnerStage.SERVING, OwnerEvent.of(failure));
        assertThat(row.actions()).contains(OwnerAction.END, OwnerAction.CALLS_GONE);
        assertThat(next(OwnerStage.ATTACHING, row.event()).actions())
                .as("of a session that never said what it has")
                .contains(OwnerAction.END, OwnerAction.CALLS_AWAY);
    }

    @Test
    @DisplayName("OWN-01: count another owner's session until this one has it, and then its own")
    void held() {
        serve();
        assertThat(own.held()).isEqualTo(new LastHeld(null, GAINED));
        take(OwnerEvent.UNREACHABLE);
        assertThat(own.held()).isEqualTo(new LastHeld(null, NOW));
    }

    @Test
    @DisplayName("OWN-01: go on counting another owner's session while none was attached")
    void heldByOthers() {
        open();
        take(OwnerEvent.FENCED);
        assertThat(own.held()).isEqualTo(new LastHeld(GAINED, NOW));
    }

    @Test
    @DisplayName("wait longer after each session that ends, until one serves or its worker is free")
    void pauses() {
        var pauses = new ArrayList<Duration>();
        for (int i = 0; i < 6; i++) {
            open();
            pauses.add(own.pause());
            take(OwnerEvent.EXPIRED);
            take(OwnerEvent.DUE);
        }
        assertThat(pauses)
                .extracting(Duration::toMillis)
                .containsExactly(200L, 400L, 800L, 1_600L, 2_000L, 2_000L);
        serve();
        assertThat(own.pause()).isEqualTo(OwnerTransitions.SHORTEST_PAUSE);
        take(OwnerEvent.EXPIRED);
        take(OwnerEvent.DUE);
        open();
        take(OwnerEvent.DRAINING);
        assertThat(own.pause()).isEqualTo(OwnerTransitions.SHORTEST_PAUSE);
    }

    @Test
    @DisplayName("claim again only once it is durable that no worker has the partition")
    void freed() {
        serve();
        take(OwnerEvent.ENDED);
        assertThat(own.stage()).isEqualTo(OwnerStage.FREEING);
        take(OwnerEvent.LOOK);
        assertThat(own.stage()).isEqualTo(OwnerStage.FREEING);
        assertThat(take(OwnerEvent.RECORDED).actions()).containsExactly(OwnerAction.CLAIM);
    }

    private void open() {
        take(OwnerEvent.CLAIMED);
        take(OwnerEvent.HOST_CHOSEN);
    }

    private void serve() {
        open();
        take(OwnerEvent.ATTACHED);
        take(OwnerEvent.RECONCILED);
    }

    private Transition take(OwnerEvent event) {
        var step = OwnerTransitions.next(own, event, NOW);
        own = step.after();
        return step.taken();
    }

    @Test
    @DisplayName("are what the documentation shows")
    void page() throws Exception {
        var made = OwnerTransitionsPage.in(Files.readString(PAGE));
        if ("1".equals(System.getenv("PERIGEE_WRITE_PAGES"))) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE))
                .as(
                        "stale: run this test with PERIGEE_WRITE_PAGES=1 in the environment, which"
                                + " writes the page")
                .isEqualTo(made);
    }
}
