package dev.perigee.testing.docs;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every command line of README.md and docs/*.md, page by page from the top to the end. What is
 * not run is reported as skipped, with the reason. Pages of which a line needs a program are by
 * themselves, and skipped as a whole without it: nothing is started for the run that is of these on
 * a machine without those.
 */
@DisplayName("Every command line of the documentation runs")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DocumentationTest {

    /** The word by which a line says that it needs a program. */
    private static final Map<Program, Pattern> PROGRAMS =
            Map.of(
                    Program.PYTHON_KAFKA, Pattern.compile("\\bpython3 "),
                    Program.CURL, Pattern.compile("\\bcurl "),
                    Program.OBJCOPY, Pattern.compile("\\bscripts/images\\b"),
                    Program.OPENSSL, Pattern.compile("\\bopenssl "));

    /** Takes minutes: makes a Java runtime, and runs each part once with it. */
    private static final Pattern LONG = Pattern.compile("\\bscripts/images\\b");

    private Path folder;
    private @Nullable Reader reader;

    @BeforeAll
    void open(@TempDir Path given) {
        folder = given;
    }

    private Reader reader() throws IOException {
        if (reader == null) {
            reader = Reader.in(folder, "pages");
        }
        return reader;
    }

    @AfterAll
    void close() throws IOException {
        if (reader != null) {
            reader.close();
        }
    }

    @TestFactory
    Stream<DynamicNode> pages(TestInfo test) {
        return all().filter(steps -> !needsProgram(steps)).map(steps -> page(steps, test));
    }

    @TestFactory
    @Tag(NeedsProgram.TAG)
    Stream<DynamicNode> pagesThatNeedPrograms(TestInfo test) {
        return all().filter(DocumentationTest::needsProgram).map(steps -> page(steps, test));
    }

    @TestFactory
    @Tag("long")
    @Tag(NeedsProgram.TAG)
    Stream<DynamicNode> longLines(TestInfo test) {
        return pages(LONG.asPredicate()).map(steps -> page(steps, test));
    }

    private static Stream<List<Step>> all() {
        return pages(LONG.asPredicate().negate());
    }

    private static Stream<List<Step>> pages(Predicate<String> lines) {
        return Pages.inOrder().stream()
                .map(file -> Pages.read(file).steps())
                .map(steps -> steps.stream().filter(step -> lines.test(step.text())).toList())
                .filter(steps -> !steps.isEmpty());
    }

    private static boolean needsProgram(List<Step> steps) {
        return !needed(steps).isEmpty();
    }

    private static List<Program> needed(List<Step> steps) {
        var lines = steps.stream().filter(step -> NotRun.reason(step) == null).toList();
        return PROGRAMS.entrySet().stream()
                .filter(
                        program ->
                                lines.stream()
                                        .map(Step::text)
                                        .anyMatch(program.getValue().asPredicate()))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** What comes after a step that failed would only fail as well, and is not run. */
    private DynamicNode page(List<Step> steps, TestInfo test) {
        var whole = new AtomicBoolean(true);
        var missing = new ArrayList<>(needed(steps));
        return dynamicContainer(
                steps.getFirst().page(),
                steps.stream()
                        .map(
                                step ->
                                        dynamicTest(
                                                step.toString(),
                                                () -> {
                                                    assumeTrue(whole.get(), "Not run, see above");
                                                    assumeItCanRun(step, missing, test);
                                                    whole.set(false);
                                                    reader().run(
                                                                    step.text(),
                                                                    step.endless(),
                                                                    step.exitCode());
                                                    whole.set(true);
                                                })));
    }

    /** Programs that are there are looked for once. */
    private static void assumeItCanRun(Step step, List<Program> missing, TestInfo test) {
        var reason = NotRun.reason(step);
        if (reason != null) {
            System.out.println("Not run, " + reason + ": " + step);
            abort("Not run, " + reason);
        }
        while (!missing.isEmpty()) {
            missing.getFirst().require(test);
            missing.removeFirst();
        }
    }
}
