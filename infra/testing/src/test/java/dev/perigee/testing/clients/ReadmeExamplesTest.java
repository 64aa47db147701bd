package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.fleet.FleetUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Run from the top to the end against a fleet whose servers may ask. */
@DisplayName("DEP-03: the examples of the clients' READMEs do what they say")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReadmeExamplesTest {
    private FleetUnderTest fleet;

    @BeforeAll
    void start() throws IOException {
        fleet = FleetUnderTest.named("readmes").worker("mcp.announce-input", "true").start();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    @Test
    @DisplayName("in TypeScript")
    void typescript(@TempDir Path folder) throws Exception {
        var examples = ReadmeExamples.typescript(fleet.bootstrap());
        // Inside the package, which can name itself.
        var target = Files.createDirectories(ClientProgram.typescript().resolve("target"));

        assertThat(examples).hasSize(2);
        var call = written(target.resolve("readme.mjs"), examples, 0);
        try (var program = ClientProgram.node(folder.resolve("call"), call)) {
            assertCalled(program.succeed());
        }
        var question = written(target.resolve("readme-question.mjs"), examples, 1);
        try (var program = ClientProgram.node(folder.resolve("question"), question)) {
            assertAsked(program.succeed());
        }
    }

    private static String written(Path file, List<String> examples, int number) throws IOException {
        return Files.writeString(file, examples.get(number)).toString();
    }

    private static void assertCalled(String printed) {
        assertThat(printed).startsWith("success").contains("Echo: hi");
    }

    private static void assertAsked(String printed) {
        assertThat(printed)
                .startsWith("asked: Please provide inputs")
                .containsPattern("(?m)^success .*Name: Alice");
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("in Python")
    void python(@TempDir Path folder) throws Exception {
        var examples = ReadmeExamples.python(fleet.bootstrap());

        assertThat(examples).hasSize(2);
        var call = written(folder.resolve("readme.py"), examples, 0);
        try (var program = ClientProgram.python(folder.resolve("call"), call)) {
            assertCalled(program.succeed());
        }
        var question = written(folder.resolve("readme_question.py"), examples, 1);
        try (var program = ClientProgram.python(folder.resolve("question"), question)) {
            assertAsked(program.succeed());
        }
    }
}
