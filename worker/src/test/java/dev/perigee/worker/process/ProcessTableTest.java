package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who shares a reading of the process table, with readings that are counted. */
final class ProcessTableTest {
    private static final int MANY = 300;

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private final CountDownLatch first = new CountDownLatch(1);

    @Test
    @DisplayName("however many ask while one reading runs, the next one is for all of them")
    void sharesTheNext() throws Exception {
        var table = new ProcessTable(this::reading);
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            var early = tasks.submit(table::read);
            await().until(() -> begun.get() == 1);
            var asked = new CountDownLatch(MANY);
            var late =
                    IntStream.range(0, MANY)
                            .mapToObj(
                                    _ ->
                                            tasks.submit(
                                                    (Callable<ProcessSnapshot>)
                                                            () -> {
                                                                asked.countDown();
                                                                return table.read();
                                                            }))
                            .toList();
            assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
            first.countDown();

            assertThat(early.get(10, TimeUnit.SECONDS)).isNotNull();
            for (var each : late) {
                assertThat(each.get(10, TimeUnit.SECONDS))
                        .as("no older than the question")
                        .isNotSameAs(early.get());
            }
        }
        assertThat(begun).as("of %d questions", MANY + 1).hasValueLessThan(5);
    }

    @Test
    @DisplayName(
            "between two readings it rests three times as long as the first took, at most 500 ms")
    void rests() {
        var begins = new ArrayList<Long>();
        var ends = new ArrayList<Long>();
        var table =
                new ProcessTable(
                        () -> {
                            begins.add(System.nanoTime());
                            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
                            ends.add(System.nanoTime());
                            return new ProcessSnapshot(List.of());
                        });
        for (int i = 0; i < 10; i++) {
            var _ = table.read(); // At once after the one before.
        }
        for (int i = 1; i < begins.size(); i++) {
            long took = ends.get(i - 1) - begins.get(i - 1);
            assertThat(begins.get(i) - ends.get(i - 1))
                    .isGreaterThanOrEqualTo(Math.min(3 * took, 500_000_000));
        }
    }

    @Test
    @DisplayName("a reading that fails is the failure of those that asked, not of the next ones")
    void survivesAFailure() {
        var table =
                new ProcessTable(
                        () -> {
                            if (begun.incrementAndGet() == 1) {
                                throw new IllegalStateException("no /proc today");
                            }
                            return new ProcessSnapshot(List.of());
                        });
        assertThatThrownBy(table::read).hasRootCauseMessage("no /proc today");
        assertThat(table.read().entries()).isEmpty();
    }

    @Test
    @DisplayName("a process keeps the mark that it was started with")
    void remembersMarks() throws Exception {
        var owner = new ProcessOwner("table-test", "first");
        var heard = new RecordingListener();
        try (var launcher = ProcessLaunchers.create(LauncherOptions.defaults())) {
            var script = "read a; exec env -i PATH=/usr/bin:/bin sh -c 'echo wiped; read b'";
            var spec =
                    new LaunchSpec(
                                    List.of("sh", "-c", script),
                                    Map.of("PATH", "/usr/bin:/bin"),
                                    null)
                            .with(ProcessOwner.VARIABLE, owner.marker(1));
            var child = launcher.launch(spec, heard);
            var reader = new ProcessReader();
            await().until(() -> owner.marker(1).equals(mark(reader, child.pid())));
            child.write("go\n".getBytes(StandardCharsets.US_ASCII), RecordingListener.PATIENCE);
            heard.awaitStdout("wiped");

            assertThat(mark(reader, child.pid())).isEqualTo(owner.marker(1));
            assertThat(mark(new ProcessReader(), child.pid())).isNull();
            child.closeStdin();
            heard.awaitClosed();
        }
    }

    private static @Nullable String mark(ProcessReader reader, long pid) {
        return reader.read().stream()
                .filter(entry -> entry.pid() == pid)
                .findFirst()
                .orElseThrow()
                .owner();
    }

    private ProcessSnapshot reading() {
        begun.incrementAndGet();
        assertThat(underWay.incrementAndGet()).as("at a time").isEqualTo(1);
        try {
            assertThat(first.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            underWay.decrementAndGet();
        }
        return new ProcessSnapshot(List.of());
    }
}
