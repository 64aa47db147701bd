package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoServerTest {
    @TempDir Path directory;

    @Test
    void looksForNpx() throws Exception {
        var npx = Files.createFile(directory.resolve("npx"));
        assertThat(DemoServer.hasNpx("/nowhere:" + directory)).isFalse();
        assertThat(npx.toFile().setExecutable(true)).isTrue();
        assertThat(DemoServer.hasNpx("/nowhere:" + directory)).isTrue();
        assertThat(DemoServer.hasNpx("")).isFalse();
    }

    @Test
    void installsTheVersionThatTestsAndExampleUse() throws Exception {
        var at = DemoServer.PACKAGE.lastIndexOf('@');
        var version = DemoServer.PACKAGE.substring(at + 1);

        assertThat(Files.readString(Path.of("examples/everything.json")))
                .contains(DemoServer.PACKAGE);
        assertThat(Files.readString(Path.of("../testing/npm/package.json")))
                .contains("\"" + DemoServer.PACKAGE.substring(0, at) + "\": \"" + version + "\"");
        assertThat(DemoServer.fromNpm().config().args()).contains(DemoServer.PACKAGE);
    }
}
