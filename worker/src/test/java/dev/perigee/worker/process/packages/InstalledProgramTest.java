package dev.perigee.worker.process.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The program of an installed package")
final class InstalledProgramTest {
    private static final String SCRIPT = "#!/usr/bin/env node\n";

    @TempDir Path installation;

    private void install(String name, String bin, String... links) throws IOException {
        var folder = installation.resolve("node_modules").resolve(name);
        Files.createDirectories(folder);
        Files.writeString(
                folder.resolve("package.json"),
                "{\"name\":\"" + name + "\",\"version\":\"1.0.0\",\"bin\":" + bin + "}");
        script(folder.resolve("a.js"), SCRIPT);
        script(folder.resolve("b.js"), SCRIPT);
        var programs = Files.createDirectories(installation.resolve("node_modules/.bin"));
        for (var link : links) {
            Files.createSymbolicLink(programs.resolve(link), folder.resolve("a.js"));
        }
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private @Nullable String find(String... words) {
        var line = Objects.requireNonNull(PackageLines.parse(List.of(words)));
        var found = InstalledProgram.find(line, installation);
        return found == null ? null : found.toString();
    }

    @Test
    void isTheOnlyOne() throws IOException {
        install("@s/pkg", "{\"other\":\"a.js\"}", "other");
        assertThat(find("npx", "-y", "@s/pkg@1")).isEqualTo("node_modules/.bin/other");
    }

    @Test
    void isNamedLikeThePackage() throws IOException {
        install("@s/pkg", "{\"other\":\"b.js\",\"pkg\":\"a.js\"}", "pkg");
        assertThat(find("npx", "-y", "@s/pkg")).isEqualTo("node_modules/.bin/pkg");
        assertThat(find("npx", "-y", "-p", "@s/pkg", "missing")).isNull();
    }

    @Test
    void isAnyOfTheNamesOfOneFile() throws IOException {
        install("pkg", "{\"one\":\"a.js\",\"two\":\"a.js\"}", "one", "two");
        assertThat(find("npx", "-y", "pkg")).isEqualTo("node_modules/.bin/one");
    }

    @Test
    void isNotCertainAmongSeveral() throws IOException {
        install("pkg", "{\"one\":\"a.js\",\"two\":\"b.js\"}", "one", "two");
        assertThat(find("npx", "-y", "pkg")).isNull();
    }

    @Test
    void isNotCertainWhereThereIsNone() throws IOException {
        assertThat(find("npx", "-y", "pkg")).isNull();
        install("pkg", "{}");
        assertThat(find("npx", "-y", "pkg")).isNull();
    }

    @Test
    @DisplayName("is not another package's, nor a file elsewhere, nor one without an interpreter")
    void isWhatThePackageSays() throws IOException {
        install("pkg", "\"b.js\"", "pkg");
        assertThat(find("npx", "-y", "pkg")).as("the link leads to a.js").isNull();

        install("shell", "\"a.js\"", "shell");
        script(installation.resolve("node_modules/shell/a.js"), "echo\n");
        assertThat(find("npx", "-y", "shell")).isNull();

        install("escaping", "\"../../../outside\"");
        var outside = installation.resolveSibling("outside");
        script(outside, SCRIPT);
        Files.createSymbolicLink(installation.resolve("node_modules/.bin/escaping"), outside);
        assertThat(find("npx", "-y", "escaping")).isNull();
        Files.delete(outside);
    }

    @Test
    @DisplayName("PRO-23: is not told by what lies elsewhere, and nothing that waits holds it up")
    void readsNothingElsewhere(@TempDir Path elsewhere) throws Exception {
        install("pkg", "\"a.js\"", "pkg");
        var line = Objects.requireNonNull(PackageLines.parse(List.of("npx", "-y", "pkg")));
        var modules = installation.resolve("node_modules");
        Files.move(modules, elsewhere.resolve("node_modules"));
        Files.createSymbolicLink(modules, elsewhere.resolve("node_modules"));
        assertThat(InstalledProgram.version(line, installation)).isNull();
        assertThat(find("npx", "-y", "pkg")).isNull();

        Files.delete(modules);
        var folder = Files.createDirectories(modules.resolve("pkg"));
        var pipe = folder.resolve("package.json").toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();
        assertThat(InstalledProgram.version(line, installation)).isNull();
    }

    @Test
    void ofUvHasTheNameOfTheLine() throws IOException {
        Files.createSymbolicLink(installation.resolve("prog"), Path.of("/seen/only/inside"));
        assertThat(find("uvx", "--from", "pkg", "prog")).isEqualTo("prog");
        assertThat(find("uvx", "pkg")).isNull();
    }
}
