package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A signal")
final class SignalsTest {

    @Test
    @DisplayName("reaches its process, and is refused where there is none")
    void reaches() throws Exception {
        var process = new ProcessBuilder("sleep", "600").start();
        Signals.send(process.pid(), "TERM");
        assertThat(process.waitFor()).isEqualTo(128 + 15);
        assertThatThrownBy(() -> Signals.send(process.pid(), "TERM"))
                .isInstanceOf(IOException.class);
    }
}
