package dev.perigee.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.TestAbortedException;

@DisplayName("DEP-01: a program that README does not name")
final class ProgramTest {

    @TempDir private Path directory;

    private void place(String name, String permissions, String script) throws Exception {
        var file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is named in one line that says where it comes from")
    void saysWhatIsMissing(Program program) {
        if (program == Program.PYTHON || program == Program.PYTHON_KAFKA) {
            return; // Looked for at one place, which the machine may have.
        }
        assertThat(program.missing(List.of(directory.toString())))
                .matches("needs [^()\\n]+ \\((apt-get install|https://)[^()\\n]+\\)");
    }

    @Test
    @DisplayName("is found under each of its names, where it can be run")
    void findsIt() throws Exception {
        var directories = List.of("", "not/absolute", directory.toString());
        place("chromium", "rw-r--r--", "");
        assertThat(Program.CHROMIUM.missing(directories)).contains("chromium");
        place("google-chrome", "rwxr-xr-x", "");
        assertThat(Program.CHROMIUM.missing(directories)).isNull();
    }

    @Test
    @DisplayName("is missing where it does not do what it is for")
    void triesIt() throws Exception {
        var directories = List.of(directory.toString());
        place("docker", "rwxr-xr-x", "exit 1");
        assertThat(Program.COMPOSE.missing(directories)).contains("docker compose");
        place("docker", "rwxr-xr-x", "[ \"$*\" = 'compose version' ]");
        assertThat(Program.COMPOSE.missing(directories)).isNull();
    }

    @Test
    @DisplayName("has its tests skipped where it is missing, and failing where it is required")
    void skipsOrFails() {
        Program[] needed = {Program.CURL, Program.BUSYBOX};
        var there = NeededPrograms.judge(needed, _ -> null, _ -> true);
        assertThat(there.isDisabled()).isFalse();

        var skipped =
                NeededPrograms.judge(
                        needed, it -> it == Program.BUSYBOX ? "needs it" : null, _ -> false);
        assertThat(skipped.isDisabled()).isTrue();
        assertThat(skipped.getReason()).contains("skipped: needs it");

        assertThatThrownBy(() -> NeededPrograms.judge(needed, _ -> "needs it", _ -> true))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("needs it");
    }

    @Test
    @DisplayName("is asked for by tests with the tag only, which CI runs without it")
    void wantsTheTag() {
        assertThatThrownBy(() -> Program.NSJAIL.require(test(Set.of())))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("NeedsProgram.TAG");
    }

    @Test
    @DisplayName("that works not here is a reason to skip, too")
    void saysThatItDoesNotWork() {
        assertThatThrownBy(() -> Program.COMPOSE.cannot("no engine"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessage("skipped: needs docker compose that works here: no engine");
    }

    @Test
    @DisplayName(
            "TEN-17: that was named and does not work here is a failure, one that was not is not")
    void failsWhereItIsNamed() {
        var named = "/scratch/nsjail";
        assertThatThrownBy(() -> Skipped.because("needs nsjail that works", "NSJAIL", named))
                .isInstanceOf(AssertionError.class)
                .hasMessage("NSJAIL=/scratch/nsjail: needs nsjail that works");
        assertThatThrownBy(() -> Skipped.because("needs nsjail that works", "NSJAIL", null))
                .isInstanceOf(TestAbortedException.class)
                .hasMessage("skipped: needs nsjail that works");
    }

    private static TestInfo test(Set<String> tags) {
        return new TestInfo() {
            @Override
            public String getDisplayName() {
                return "a test";
            }

            @Override
            public Set<String> getTags() {
                return tags;
            }

            @Override
            public Optional<Class<?>> getTestClass() {
                return Optional.empty();
            }

            @Override
            public Optional<Method> getTestMethod() {
                return Optional.empty();
            }
        };
    }
}
