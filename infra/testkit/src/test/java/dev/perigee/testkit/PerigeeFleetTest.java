package dev.perigee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.perigee.protocol.tool.ToolOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

@DisplayName("A fleet for tests")
final class PerigeeFleetTest {

    /** Processes that the class below has seen, parts and servers. */
    private static final List<ProcessHandle> SEEN = new CopyOnWriteArrayList<>();

    /** A class of tests as a backend has it; run by a test below, and found by no pattern. */
    static final class OfABackend {
        @RegisterExtension
        static final PerigeeFleet fleet = PerigeeFleet.builder().set("idle.timeout", "1h").build();

        @Test
        void goesOnWithoutAWorkerAndABroker() throws Exception {
            var server = fleet.installSample();
            see();

            fleet.kill("worker-1");
            fleet.startAgain("worker-1");
            answers(server);

            fleet.kill("broker");
            fleet.startAgain("broker");
            answers(server);
            see();
            server.uninstall();
        }

        @Nested
        class Inside {
            @Test
            void hasTheSameFleet(PerigeeFleet given) {
                assertThat(given).isSameAs(fleet);
                assertThat(given.client().isOpen()).isTrue();
                see();
            }
        }

        private static void answers(InstalledServer server) {
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(100))
                    .until(
                            () -> server.call("echo", "{\"message\":\"hi\"}").outcome(),
                            ToolOutcome.SUCCESS::equals);
        }

        private void see() {
            ProcessHandle.current().descendants().forEach(SEEN::add);
        }
    }

    @Test
    @DisplayName("starts with a class, goes on after faults, and leaves no process")
    void isOfAClass() {
        var before = ProcessHandle.current().descendants().toList();
        var summary = new SummaryGeneratingListener();
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(selectClass(OfABackend.class))
                        .build();

        LauncherFactory.create().execute(request, summary);

        assertThat(summary.getSummary().getFailures())
                .extracting(failure -> failure.getException())
                .isEmpty();
        assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(2);
        doesNotRun(OfABackend.fleet);
        SEEN.removeAll(before);
        assertThat(SEEN).hasSizeGreaterThan(5);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> SEEN.stream().noneMatch(PerigeeFleetTest::runs));
    }

    /** A zombie that init has not collected has no program any more. */
    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    private static void doesNotRun(PerigeeFleet fleet) {
        assertThatThrownBy(fleet::bootstrap)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("static field with @RegisterExtension");
    }

    @Test
    @DisplayName("that does not start says why, once, and what to do")
    void saysWhatToDo() {
        var fleet =
                PerigeeFleet.builder()
                        .gateways(0)
                        .workers(0)
                        .set("broker.kafka.log.segment.bytes", "many")
                        .build();

        assertThatThrownBy(fleet::start)
                .isInstanceOf(FleetStartException.class)
                .hasMessageContaining("broker ended with exit code")
                .hasMessageContaining("log.segment.bytes")
                .hasMessageContaining("What to do:")
                .satisfies(first -> assertThatThrownBy(fleet::start).isSameAs(first));
        doesNotRun(fleet);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "link.tokn | the nearest is link.token",
                "topics.prefix | topics.prefix",
                "worker.id | each worker gets its own"
            })
    @DisplayName("refuses settings that no part knows, or that it gives itself")
    void refuses(String key, String message) {
        var builder = PerigeeFleet.builder().set(key, "secret-value");

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message.strip())
                .hasMessageNotContaining("secret-value");
    }

    @Test
    @DisplayName("refuses a gateway without a worker")
    void refusesShapes() {
        assertThatThrownBy(PerigeeFleet.builder().workers(0)::build)
                .isInstanceOf(IllegalArgumentException.class);
    }
}
