package dev.perigee.worker.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the kernel says of memory that it holds for processes. */
@DisplayName("TEN-08: memory that the kernel holds for a process")
final class KernelMemoryTest {
    /** The child ends after the shell has become a program that waits for no children. */
    private static final String SLEEPS_OVER_ITS_CHILD = "sleep 0.5 & echo $!; exec sleep 600";

    private static final long SELF = ProcessHandle.current().pid();

    private final AtomicBoolean chance = new AtomicBoolean();
    private final KernelMemory memory = looking(KernelMemoryTest::still, 10_000);

    private KernelMemory looking(LongSupplier nanos, int mostLookedAt) {
        return new KernelMemory(new LookTime(nanos), mostLookedAt, chance::get);
    }

    /** A clock by which whatever a look takes is in time. */
    private static long still() {
        return 0;
    }

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
    }

    @Test
    @DisplayName("has its tables of pages, and no sockets of the network of all")
    void tables() {
        var tables = ProcMemory.kept(SELF).tableBytes();
        assertThat(tables).isPositive();
        memory.begin();
        assertThat(memory.measure(List.of(entry(SELF, 1))).counted())
                .isBetween(tables / 2, tables * 2);
    }

    @Test
    @DisplayName("is not looked for again while it has not run, and forgotten when it is gone")
    void remembers() throws Exception {
        var process = new ProcessBuilder("sleep", "600").start();
        var before = entry(process.pid(), 1);
        memory.begin();
        long bytes = memory.measure(List.of(before)).counted();
        assertThat(bytes).isPositive();
        process.destroyForcibly().waitFor();

        memory.begin();
        assertThat(memory.measure(List.of(before)).counted()).as("did not run").isEqualTo(bytes);
        memory.begin();
        assertThat(memory.measure(List.of(entry(process.pid(), 2))).counted()).as("ran").isZero();
        memory.begin();
        assertThat(memory.measure(List.of(before)).counted()).as("forgotten").isZero();
    }

    @Test
    @DisplayName("is looked for by chance while it has not run: that counts whole ticks only")
    void looksAgain() throws Exception {
        var process = new ProcessBuilder("sleep", "600").start();
        var before = entry(process.pid(), 1);
        memory.begin();
        assertThat(memory.measure(List.of(before)).counted()).isPositive();
        process.destroyForcibly().waitFor();

        chance.set(true);
        memory.begin();
        assertThat(memory.measure(List.of(before)).counted()).isZero();
    }

    @Test
    @DisplayName("has mappings counted at some reading, however little it ran")
    void countsMappingsInTheEnd() {
        var share = KernelShare.of(entry(SELF, 1).stat(), null, 1, false);
        for (int reading = 1; reading < 4; reading++) {
            share.read(() -> true);
            assertThat(share.mappings()).isZero();
        }
        share.read(() -> true);
        assertThat(share.mappings()).isPositive();
    }

    @Test
    @DisplayName("has sockets of TCP twice, which hold as much in each direction")
    void sockets() {
        var used = "sockets: used 1000\nTCP: inuse 300 orphan 0 tw 0 alloc 5000 mem 9\n";
        var both = JailSockets.parse(used, "TCP6: inuse 28\nUDP6: inuse 7\n");
        assertThat(both).isEqualTo(new JailSockets(1000, 328));
        assertThat(both.counted()).isEqualTo((1000 - 128 + 328 - 128) * JailSockets.BYTES);
        assertThat(both.uncounted()).isEqualTo(2 * 128 * JailSockets.BYTES);
        var few = JailSockets.parse("sockets: used 100\nTCP: inuse 9 orphan 0\n", "");
        assertThat(few.counted()).isZero();
        assertThat(few.uncounted()).isEqualTo(109 * JailSockets.BYTES);
        assertThat(JailSockets.parse("", "")).isEqualTo(JailSockets.NONE);
    }

    @Test
    @DisplayName("is a tenant's, where it does not count toward a server's limit, to some amount")
    void allowance() {
        var alice = new Tenant("team", "alice");
        var allowance = new TenantAllowance();
        assertThat(allowance.beyond(alice, TenantAllowance.BYTES - 1)).isZero();
        assertThat(allowance.beyond(alice, 3)).isEqualTo(2);
        assertThat(allowance.beyond(alice, 3)).isEqualTo(3);
        assertThat(allowance.beyond(new Tenant("team", "bob"), 3)).isZero();
    }

    @Test
    @DisplayName("is read of one process at least, where time is short, and of all in the end")
    void inPieces() throws Exception {
        var one = settled();
        var other = settled();
        var another = settled();
        try {
            var slow = new AtomicLong();
            var pieces = looking(() -> slow.addAndGet(1_000_000_000), 10_000);
            pieces.begin();
            long first =
                    pieces.measure(List.of(entry(one.pid(), 1), entry(other.pid(), 1))).counted();
            assertThat(first).isEqualTo(ProcMemory.kept(one.pid()).tableBytes());
            pieces.begin();
            // What is new has no turn before what has waited.
            var members =
                    List.of(entry(another.pid(), 1), entry(one.pid(), 2), entry(other.pid(), 1));
            long second = first + ProcMemory.kept(other.pid()).tableBytes();
            assertThat(pieces.measure(members).counted()).isEqualTo(second);
            pieces.begin();
            pieces.measure(members);
            pieces.begin();
            assertThat(pieces.measure(members).counted())
                    .isEqualTo(second + ProcMemory.kept(another.pid()).tableBytes());
        } finally {
            List.of(one, other, another).forEach(Process::destroyForcibly);
        }
    }

    /** A process that waits: one that has just begun maps more while it is looked at. */
    private static Process settled() throws IOException {
        var process = new ProcessBuilder("cat").start();
        process.outputWriter().append("up\n").flush();
        assertThat(process.inputReader().readLine()).isEqualTo("up");
        return process;
    }

    @Test
    @DisplayName("has as many mappings as can be where they take too long to read")
    void mappingsInTime() throws Exception {
        assertThat(Mappings.lines(lines(2000), () -> false)).isEqualTo(2000);
        assertThat(Mappings.lines(lines(8000), () -> false)).isEqualTo(Mappings.MOST);
        assertThat(Mappings.lines(lines(8000), () -> true)).isEqualTo(8000);
        assertThat(Mappings.lines(lines(9000), () -> true)).isEqualTo(Mappings.MOST);
    }

    private static InputStream lines(int count) {
        return new ByteArrayInputStream("7f00-7f01 rw-p 0\n".repeat(count).getBytes(UTF_8));
    }

    @Test
    @DisplayName("has its mappings")
    void mappings() {
        assertThat(Mappings.count(SELF, () -> true)).isBetween(20, Mappings.MOST);
        assertThat(Mappings.count(Integer.MAX_VALUE, () -> true)).isZero();
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
            assertThat(Mappings.count(ended, () -> true)).isZero();
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
            var looking = looking(KernelMemoryTest::still, 500);
            looking.begin();
            long held =
                    looking.measure(List.of(entry(many.pid(), 1), entry(pipes.pid(), 1))).counted();
            assertThat(held / (16 * PageSize.bytes())).isBetween(1100L, 1300L);
        } finally {
            many.destroyForcibly();
            pipes.destroyForcibly();
        }
    }

    @Test
    @DisplayName("has pipes looked for in turn: what waits is not overtaken by what is new")
    void turns() {
        var share = KernelShare.of(entry(SELF, 1).stat(), null, 5, false);
        share.read(() -> true);
        share.lookForPipes(5);
        assertThat(share.isOutdated()).isFalse();
        KernelShare.of(entry(SELF, 2).stat(), share, 6, false).read(() -> true);
        KernelShare.of(entry(SELF, 3).stat(), share, 9, false).read(() -> true);
        assertThat(share.isOutdated()).isTrue();
        assertThat(share.outdatedSince()).isEqualTo(6);
        assertThat(KernelShare.of(entry(SELF, 3).stat(), null, 9, false).outdatedSince())
                .isEqualTo(9);
    }

    @Test
    @NeedsProgram(Program.PYTHON)
    @DisplayName("may have as many pipes under way as there can be, where anything is")
    void pipesUnderWay() throws Exception {
        var idle = opener("socket.socketpair()");
        var sent = opener("[pair := socket.socketpair(), socket.send_fds(pair[0], [b'x'], [0])]");
        try {
            chance.set(true);
            assertThat(uncounted(idle)).isLessThan(100 * 16 * PageSize.bytes());
            assertThat(uncounted(sent) / (16 * PageSize.bytes()))
                    .isBetween((long) FilesUnderWay.MOST, FilesUnderWay.MOST + 100L);
            assertThat(FilesUnderWay.mayBeTo(idle.pid(), () -> false))
                    .as("a few are looked at in any case")
                    .isFalse();
            assertThat(FilesUnderWay.mayBeTo(sent.pid(), () -> false)).isTrue();
            assertThat(FilesUnderWay.mayBeTo(Integer.MAX_VALUE, () -> true)).isFalse();
        } finally {
            idle.destroyForcibly();
            sent.destroyForcibly();
        }
    }

    /** After some looks by chance. */
    private long uncounted(Process process) {
        long uncounted = 0;
        for (int look = 0; look < 8; look++) {
            memory.begin();
            uncounted = memory.measure(List.of(entry(process.pid(), 1))).uncounted();
        }
        return uncounted;
    }

    private static Process opener(String opened) throws Exception {
        var program =
                "import os, socket, time; kept = %s; print('up', flush=True); time.sleep(600)"
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
