package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WorkerLookupTest {

    private static final Set<String> IDS =
            Set.of(
                    "worker-1-af",
                    "worker-2-af",
                    "worker-3-af",
                    "worker-3-b0",
                    "worker-2x",
                    "w",
                    "w-1");

    @ParameterizedTest
    @CsvSource({
        "worker-2-af, worker-2-af",
        "worker-2, worker-2-af",
        "w, w",
        "worker-3, worker-3",
        "worker, worker",
        "worker-2-a, worker-2-a",
    })
    void takesTheBeginningOfOneIdOnly(String given, String full) {
        assertThat(WorkerLookup.full(given, IDS)).isEqualTo(full);
    }
}
