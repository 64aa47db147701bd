package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The run on a bare machine is of the tests with the tag of {@link NeedsProgram}. This keeps others
 * from needing a program besides; CI_LANE=bare runs all tests so.
 */
@DisplayName("DEP-01: a test of any module")
final class NeededProgramsTest {

    /** As a word of a command line stands in a test. */
    private static final Pattern PROGRAM =
            Pattern.compile(
                    "\"(/usr/bin/|/bin/)?(bwrap|busybox|chromium|docker|podman|curl|wget|openssl"
                            + "|promtool|python3?|nsjail|git|ps|pgrep|pkill|gcc|cc|make|jq|ip|nc"
                            + "|unzip|strace|kubectl)\"|Fixtures\\.PYTHON|ProcessBuilder\\(\"kill\"");

    /** They name programs and start none, but for fakes of their own. */
    private static final List<String> NAMING =
            List.of(
                    "ProgramTest",
                    "MillionRecordsTest",
                    "RecordedReplayTest",
                    "RecordingCommandTest",
                    "ReplayedDayTest",
                    "JailCommandTest",
                    "JailProgramsTest",
                    "NamespaceAdviceTest",
                    "ProjectFilesTest",
                    "FleetJvmTest",
                    "ServerTrustTest",
                    "WorkerSettingsTest");

    /**
     * They skip what is about nsjail's absence, what a namespace, root or a control group is needed
     * for, and lines that the documentation has for readers only.
     */
    private static final List<String> ASSUMING =
            List.of(
                    "IsolationChoiceTest",
                    "HomeIdsTest",
                    "IdentitiesTest",
                    "BareMachineTest",
                    "ContainedSuiteTest",
                    "MeteredProcessTest",
                    "DocumentationTest",
                    "DoorTokensTest");

    @Test
    @DisplayName("that names a program README does not is among those that are run without it")
    void saysWhatItNeeds() throws IOException {
        assertThat(
                        tests(
                                text ->
                                        PROGRAM.matcher(text).find()
                                                && !text.contains("@NeedsProgram(")
                                                && !text.contains("@Tag(NeedsProgram.TAG)")))
                .isEqualTo(NAMING.stream().sorted().toList());
    }

    @Test
    @DisplayName("is skipped in the one way, that names the program")
    void isSkippedInOneWay() throws IOException {
        assertThat(tests(text -> text.contains(".Assumptions") || text.contains("_REQUIRED\")")))
                .isEqualTo(ASSUMING.stream().sorted().toList());
    }

    /** The test classes of which that holds, this one left out. */
    private static List<String> tests(Predicate<String> holds) throws IOException {
        var found = new ArrayList<String>();
        for (var file : SourceTree.files(Checkout.root())) {
            if (isTest(file) && holds.test(Files.readString(file))) {
                found.add(file.getFileName().toString().replace(".java", ""));
            }
        }
        found.sort(null);
        return found;
    }

    private static boolean isTest(Path file) {
        return file.toString().contains("/src/test/java/")
                && file.toString().endsWith("Test.java")
                && !file.endsWith("NeededProgramsTest.java");
    }
}
