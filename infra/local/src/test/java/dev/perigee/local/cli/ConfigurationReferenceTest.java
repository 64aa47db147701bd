package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationReferenceTest {
    private static final Path PAGE = Path.of("../../docs/reference/configuration.md");

    private static final Path TOPICS = Path.of("../../docs/reference/topics.md");

    @Test
    void topicsAreUpToDate() throws Exception {
        var document = "protocol/src/main/asyncapi/perigee.yaml";
        assertThat(Files.readString(TOPICS))
                .as("stale: run scripts/perigee reference --topics %s > %s", document, TOPICS)
                .isEqualTo(CliRun.of("reference", "--topics", "../../" + document).out());
    }

    @Test
    void isUpToDate() throws Exception {
        assertThat(Files.readString(PAGE))
                .as("stale: run scripts/perigee reference > docs/reference/configuration.md")
                .isEqualTo(CliRun.of("reference").out());
    }
}
