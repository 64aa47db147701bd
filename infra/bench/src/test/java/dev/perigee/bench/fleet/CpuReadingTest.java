package dev.perigee.bench.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuReadingTest {
    @Test
    void countsWhatAThreadSpends() {
        var me = List.of(ProcessHandle.current().pid());
        var threads = ManagementFactory.getThreadMXBean();
        var before = CpuReading.of(me);
        long own = threads.getCurrentThreadCpuTime();

        while (threads.getCurrentThreadCpuTime() - own < 50_000_000) {
            Thread.onSpinWait();
        }

        // The scheduler brings a thread's count up to date at its ticks, of 10 ms at most.
        assertThat(CpuReading.of(me).nanosSince(before)).isGreaterThan(39_000_000);
    }
}
