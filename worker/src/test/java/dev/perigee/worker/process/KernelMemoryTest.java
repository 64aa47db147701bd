package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the kernel says of memory that it holds for processes. */
@DisplayName("TEN-08: memory that the kernel holds for a process")
final class KernelMemoryTest {
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
