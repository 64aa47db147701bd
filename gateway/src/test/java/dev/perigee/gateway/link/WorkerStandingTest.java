package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.link.Hello;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OWN-14: The death of a worker's process")
final class WorkerStandingTest {
    private static final int ROUNDS = 200_000;
    private static final Hello.Result DIES = hello("dies");
    private static final Hello.Result LIVES = hello("lives");

    private final WorkerStanding standing =
            new WorkerStanding(URI.create("ws://127.0.0.1:7070/link"));

    @Test
    @DisplayName("is over when it answers, itself or another one")
    void isOverWithTheNextAnswer() {
        standing.met(DIES);
        standing.died();
        assertThat(standing.view().dead()).isTrue();

        standing.met(DIES);
        assertThat(standing.view().dead()).isFalse();

        standing.died();
        standing.met(LIVES);
        assertThat(standing.view().dead()).isFalse();
    }

    @Test
    @DisplayName("is never shown of another process, whenever somebody looks")
    void isThatProcesssOwn() throws Exception {
        var over = new AtomicBoolean();
        var wrong = new AtomicInteger();
        var reader =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!over.get()) {
                                        var view = standing.view();
                                        if (view.dead() && !"dies".equals(view.incarnation())) {
                                            wrong.incrementAndGet();
                                        }
                                    }
                                });
        for (int round = 0; round < ROUNDS; round++) {
            standing.met(DIES);
            standing.died();
            standing.met(LIVES);
        }
        over.set(true);
        reader.join();

        assertThat(wrong).hasValue(0);
    }

    @Test
    @DisplayName("is no matter while the process answers elsewhere, until it is met here again")
    void livesElsewhere() {
        standing.met(DIES);
        assertThat(standing.livesElsewhere()).isFalse();

        standing.answersElsewhere();
        assertThat(standing.livesElsewhere()).isTrue();

        standing.met(DIES);
        assertThat(standing.livesElsewhere()).isFalse();
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private static Hello.Result hello(String incarnation) {
        return new Hello.Result(
                "worker-1", incarnation, 30_000, List.of(), null, null, null, null, null);
    }
}
