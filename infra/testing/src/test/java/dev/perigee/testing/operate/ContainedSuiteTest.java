package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.operate.ContainedSuite.Ended;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * The tests of jails that the worker's module runs as this machine's user, once more as the images
 * run a worker: each with the same hostile programs and the same assertions, by the user, under the
 * profile and with the mounts of the worker's container, homes and packages in its volume.
 */
@DisplayName("TEN-21: in the worker's container")
@NeedsProgram({Program.RUNC, Program.BUBBLEWRAP, Program.PYTHON})
final class ContainedSuiteTest {
    private static final String PACKAGE = "dev.perigee.worker.process.isolation.";

    /** What takes longest begins. */
    private static final List<String> FIRST =
            List.of("LimitsTest", "JailTest", "HomesTest", "EscapeTest");

    /** The worker of the image is not root, and has no ids to give. */
    private static final String OF_ROOT = "skipped: needs root";

    private static final Duration PATIENCE = Duration.ofMinutes(8);

    @TempDir private Path directory;

    @TestFactory
    @DisplayName("hostile programs reach, change and outlive nothing, and have their limits")
    Stream<DynamicTest> jails() throws Exception {
        return run(FIRST.stream().map(PACKAGE::concat).toList());
    }

    @Tag("long")
    @TestFactory
    @DisplayName("all other tests of jails hold, too")
    Stream<DynamicTest> others() throws Exception {
        var names =
                ReflectionSupport.streamAllClassesInPackage(
                                "dev.perigee.worker.process.isolation",
                                type ->
                                        AnnotationSupport.isAnnotated(
                                                type, ParameterizedClass.class),
                                name -> true)
                        .filter(type -> !FIRST.contains(type.getSimpleName()))
                        .map(Class::getName)
                        .sorted()
                        .toList();
        assertThat(names).contains(PACKAGE + "JailEndTest", PACKAGE + "JailedPackagesTest");
        return run(names);
    }

    private Stream<DynamicTest> run(List<String> classes) throws Exception {
        var missing = OciContainer.missing();
        if (!missing.isEmpty()) {
            Program.RUNC.cannot(missing);
        }
        var program =
                Stream.concat(
                                Stream.of(
                                        "-Djava.io.tmpdir=" + OciContainer.CACHE,
                                        ContainedSuite.class.getName()),
                                classes.stream())
                        .toList();
        List<Ended> ended;
        try (var container =
                OciContainer.program(
                        directory, Compose.read().at("/services/worker-1"), program, List.of())) {
            assertThat(container.awaitEnd(PATIENCE)).as(container::log).isTrue();
            ended = ContainedSuite.read(container.log());
        }
        assertThat(ended).filteredOn(Ended::test).hasSizeGreaterThan(classes.size());
        return ended.stream()
                .map(
                        it ->
                                DynamicTest.dynamicTest(
                                        it.name(),
                                        () -> {
                                            assumeThat(it.reason()).doesNotContain(OF_ROOT);
                                            assertThat(it.succeeded()).as(it.reason()).isTrue();
                                        }));
    }
}
