package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-09: when the disk of all servers is nearly full")
final class DiskPressureTest {
    private final DiskPressure pressure = new DiskPressure(1600);

    @Test
    @DisplayName("one is ended when that was found twice, and nobody when it was found once")
    void stays() {
        assertThat(pressure.ends(1599)).isFalse();
        assertThat(pressure.ends(1600)).isFalse();
        assertThat(pressure.ends(1599)).isFalse();
        assertThat(pressure.isUrgent(1599)).isTrue();
        assertThat(pressure.ends(1599)).isTrue();
    }

    @Test
    @DisplayName("the next one is ended only when the disk goes on being filled")
    void goesOn() {
        pressure.ends(1500);
        assertThat(pressure.ends(1500)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(pressure.isUrgent(1400)).isFalse();
            assertThat(pressure.ends(1400)).isFalse();
        }
        assertThat(pressure.isUrgent(1399)).isTrue();
        assertThat(pressure.ends(1399)).isFalse();
        assertThat(pressure.ends(1399)).isTrue();
        assertThat(pressure.isUrgent(1399)).isFalse();
    }

    @Test
    @DisplayName("when there was room in between it begins anew")
    void beginsAnew() {
        pressure.ends(100);
        assertThat(pressure.ends(100)).isTrue();
        assertThat(pressure.ends(1600)).isFalse();
        assertThat(pressure.ends(1500)).isFalse();
        assertThat(pressure.ends(1500)).isTrue();
    }

    @Test
    @DisplayName("nobody is ended who has hardly any files")
    void spares() {
        assertThat(pressure.isMuch(99)).isFalse();
        assertThat(pressure.isMuch(100)).isTrue();
    }

    @Test
    @DisplayName("without a reserve nobody is ended")
    void off() {
        var none = new DiskPressure(0);
        assertThat(none.ends(0)).isFalse();
        assertThat(none.ends(0)).isFalse();
    }
}
