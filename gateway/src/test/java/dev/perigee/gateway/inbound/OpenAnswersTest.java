package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Answers on their way at the end of a tenure")
final class OpenAnswersTest {
    private final OpenAnswers answers = new OpenAnswers();

    @Test
    @DisplayName("none begins once the tenure is about to end")
    void beginsNone() throws Exception {
        assertThat(answers.begin()).isTrue();
        answers.close();

        assertThat(answers.begin()).isFalse();
        answers.end();
        assertThat(answers.await(in(Duration.ofSeconds(30)))).isTrue();
    }

    @Test
    @DisplayName("what began is waited for, and no longer than to the deadline")
    void waits() throws Exception {
        answers.begin();
        answers.begin();
        answers.close();
        assertThat(answers.await(in(Duration.ofMillis(10)))).isFalse();

        var waiting =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return answers.await(in(Duration.ofSeconds(30)));
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        answers.end();
        assertThat(waiting).isNotDone();
        answers.end();
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
    }

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }
}
