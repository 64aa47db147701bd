package dev.perigee.testing.operate;

import dev.perigee.protocol.json.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes in a JVM of its own, such as one in a container, and prints a line for each
 * test that ended and each class that failed or was skipped. Arguments: the classes. {@link #read}
 * gives the lines back to who started it.
 */
final class ContainedSuite {
    private static final String MARK = "ended: ";
    private static final String LAST = "suite ended";

    /** Two classes at a time: they wait more than they work. */
    private static final Map<String, String> SIDE_BY_SIDE =
            Map.of(
                    "junit.jupiter.execution.parallel.enabled",
                    "true",
                    "junit.jupiter.execution.parallel.mode.classes.default",
                    "concurrent",
                    "junit.jupiter.execution.parallel.config.strategy",
                    "fixed",
                    "junit.jupiter.execution.parallel.config.fixed.parallelism",
                    "2");

    private ContainedSuite() {}

    /**
     * What became of a test.
     *
     * @param name its class's and its own
     * @param outcome of JUnit's, or {@code SKIPPED}
     * @param reason why it did not succeed, else empty
     */
    record Ended(String name, boolean test, String outcome, String reason) {
        boolean succeeded() {
            return outcome.equals(TestExecutionResult.Status.SUCCESSFUL.name());
        }
    }

    /** Runs until all have ended. */
    public static void main(String[] classes) {
        var request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(Stream.of(classes).map(DiscoverySelectors::selectClass).toList())
                        .configurationParameters(SIDE_BY_SIDE)
                        .build();
        LauncherFactory.create().execute(request, new Printer());
        System.out.println(LAST);
        System.out.flush();
        System.exit(0);
    }

    /**
     * What a run printed.
     *
     * @throws IllegalArgumentException when it did not come to its end
     */
    static List<Ended> read(String printed) {
        var lines = printed.lines().toList();
        if (lines.isEmpty() || !lines.contains(LAST)) {
            throw new IllegalArgumentException("The tests did not end:\n" + printed);
        }
        return lines.stream()
                .filter(line -> line.startsWith(MARK))
                .map(line -> line.substring(MARK.length()).getBytes(StandardCharsets.UTF_8))
                .map(line -> Json.read(line, Ended.class))
                .toList();
    }

    private static final class Printer implements TestExecutionListener {
        private @Nullable TestPlan plan;

        @Override
        public void testPlanExecutionStarted(TestPlan started) {
            plan = started;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            print(new Ended(name(test), test.isTest(), "SKIPPED", reason));
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            var status = result.getStatus();
            if (test.isTest() || status != TestExecutionResult.Status.SUCCESSFUL) {
                var reason = new StringWriter();
                result.getThrowable().ifPresent(it -> it.printStackTrace(new PrintWriter(reason)));
                print(new Ended(name(test), test.isTest(), status.name(), reason.toString()));
            }
        }

        private String name(TestIdentifier test) {
            var parent =
                    Objects.requireNonNull(plan)
                            .getParent(test)
                            .filter(it -> it.getParentId().isPresent());
            return parent.map(it -> name(it) + ", ").orElse("") + test.getDisplayName();
        }

        private static void print(Ended ended) {
            var line = new String(Json.write(ended), StandardCharsets.UTF_8);
            System.out.println(MARK + line);
        }
    }
}
