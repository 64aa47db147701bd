package dev.perigee.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is left for servers. */
final class HostShareTest {
    private static final long MIB = 1 << 20;

    @Test
    void isWhatTheWorkerDoesNotNeed() {
        assertThat(HostShare.share(3000 * MIB, 750 * MIB)).isEqualTo(1750 * MIB);
        assertThat(HostShare.share(8192 * MIB, 2048 * MIB)).isEqualTo(5120 * MIB);
        assertThat(HostShare.share(64000 * MIB, 16000 * MIB)).isEqualTo(41600 * MIB);
        // The container in which 80 small processes made the kernel end the worker.
        assertThat(HostShare.share(750 * MIB, 187 * MIB)).isEqualTo(435 * MIB);
        assertThat(HostShare.share(1000 * MIB, 900 * MIB)).isEqualTo(250 * MIB);
    }

    @Test
    void isThreeQuartersOfTheProcessesThatThereCanBe() {
        assertThat(HostShare.processes(null, 32768)).isEqualTo(24576);
        assertThat(HostShare.processes(null, 3)).isEqualTo(1);
        assertThat(HostShare.processes(null, HostProcesses.UNKNOWN)).isZero();
    }

    @Test
    void isWhatIsConfigured() {
        assertThat(HostShare.processes(7, 32768)).isEqualTo(7);
        assertThat(HostShare.processes(0, 32768)).isZero();
        assertThat(HostShare.bytes(7L)).isEqualTo(7);
        assertThat(HostShare.bytes(0L)).isZero();
        assertThat(HostShare.bytes(null)).isPositive();
    }

    @Test
    void ofWhatIsAvailableIsToldWhereTheShareIsNotConfigured() {
        assertThat(HostShare.available(7L).getAsLong()).isZero();
        assertThat(HostShare.available(null).getAsLong()).isPositive();
    }
}
