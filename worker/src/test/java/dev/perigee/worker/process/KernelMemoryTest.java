package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the kernel says of memory that it holds for processes. */
@DisplayName("TEN-08: memory that the kernel holds for a process")
final class KernelMemoryTest {
    /** The child ends after the shell has become a program that waits for no children. */
    private static final String SLEEPS_OVER_ITS_CHILD = "sleep 0.5 & echo $!; exec sleep 600";

    private static final long SELF = ProcessHandle.current().pid();

    private final KernelMemory memory = new KernelMemory();

    private static ProcessEntry entry(long pid, long ticks) {
        return new ProcessEntry(
                new ProcStat(pid, 'S', 1, 1, 7, 0, ticks, 0, 1, 0), null, null, true);
    }

    @Test
    @DisplayName("is read from what it shows")
    void parses() {
        var kept =
                ProcMemory.parseKept("Name:\tnode\nFDSize:\t256\nVmRSS:\t 9 kB\nVmPTE:\t  24 kB\n");
        assertThat(kept).isEqualTo(new ProcMemory.Kept(24 << 10, 256));
        assertThat(ProcMemory.parseKept("")).isEqualTo(new ProcMemory.Kept(0, 0));
        assertThat(KernelMemory.parse("sockets: used 317\nTCP: inuse 1\n")).isEqualTo(317);
        assertThat(KernelMemory.parse("")).isZero();
    }

    @Test
    @DisplayName("has its tables of pages, and no sockets of the network of all")
    void tables() {
        var tables = ProcMemory.kept(SELF).tableBytes();
        assertThat(tables).isPositive();
        memory.begin();
        assertThat(memory.bytes(List.of(entry(SELF, 1)))).isBetween(tables / 2, tables * 2);
    }

    @Test
    @DisplayName("is not looked for again while it has not run, and forgotten when it is gone")
    void remembers() throws Exception {
        var process = new ProcessBuilder("sleep", "600").start();
        var before = entry(process.pid(), 1);
        memory.begin();
        long bytes = memory.bytes(List.of(before));
        assertThat(bytes).isPositive();
        process.destroyForcibly().waitFor();

        memory.begin();
        assertThat(memory.bytes(List.of(before))).as("did not run").isEqualTo(bytes);
        memory.begin();
        assertThat(memory.bytes(List.of(entry(process.pid(), 2)))).as("ran").isZero();
        memory.begin();
        assertThat(memory.bytes(List.of(before))).as("forgotten").isZero();
    }

    @Test
    @DisplayName("has its mappings")
    void mappings() {
        assertThat(Mappings.count(SELF)).isBetween(20, Mappings.MOST);
        assertThat(Mappings.count(Integer.MAX_VALUE)).isZero();
        assertThat(Mappings.unread(entry(SELF, 1).stat())).isEqualTo(Mappings.CLOSED);
    }

    @Test
    @DisplayName("has none once it has ended, though nobody waited for it")
    void mappingsOfEnded() throws Exception {
        var parent = new ProcessBuilder("sh", "-c", SLEEPS_OVER_ITS_CHILD).start();
        try (var told = parent.inputReader()) {
            long ended = Long.parseLong(told.readLine());
            await().until(
                            () -> {
                                var stat = ProcStat.read(ended);
                                return stat != null && !stat.alive();
                            });
            assertThat(Mappings.count(ended)).isZero();
        } finally {
            parent.destroyForcibly();
        }
    }

    @Test
    @NeedsProgram(Program.PYTHON)
    @DisplayName("has pipes beside a process that has too many descriptors to look at")
    void pipesBesideMany() throws Exception {
        var many = opener("[os.open('/dev/null', 0) for _ in range(900)]");
        var pipes = opener("[os.pipe() for _ in range(200)]");
        try {
            var looking = new KernelMemory(500);
            looking.begin();
            long held = looking.bytes(List.of(entry(many.pid(), 1), entry(pipes.pid(), 1)));
            assertThat(held / (16 * PageSize.bytes())).isBetween(1100L, 1300L);
        } finally {
            many.destroyForcibly();
            pipes.destroyForcibly();
        }
    }

    private static Process opener(String opened) throws Exception {
        var program =
                "import os, time; kept = %s; print('up', flush=True); time.sleep(600)"
                        .formatted(opened);
        var process = new ProcessBuilder("python3", "-c", program).start();
        assertThat(process.inputReader().readLine()).isEqualTo("up");
        return process;
    }

    @Test
    @DisplayName("counts the descriptors also of a process that is not read")
    void descriptors() {
        assertThat(OpenPipes.descriptors(SELF, 1)).isPositive();
        assertThat(OpenPipes.descriptors(Integer.MAX_VALUE, 5)).isZero();
        assertThat(OpenPipes.of(SELF, 100_000)).isNotNull();
        assertThat(OpenPipes.of(SELF, -1_000)).isNull();
        assertThat(OpenPipes.of(Integer.MAX_VALUE, 5)).as("has ended").isEmpty();
    }
}
