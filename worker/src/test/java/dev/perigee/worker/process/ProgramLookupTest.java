package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class ProgramLookupTest {

    @Test
    @DisplayName("A whole command line as a program is not found, and its secrets are not said")
    void masksAWholeLine() {
        var spec = new LaunchSpec(List.of("node --token s3cret-v"), Map.of("PATH", "/bin"), null);

        assertThatThrownBy(() -> ProgramLookup.find(spec))
                .isInstanceOf(LaunchException.class)
                .hasMessageContaining("'node --token ***' was not found")
                .hasMessageNotContaining("s3cret");
    }
}
