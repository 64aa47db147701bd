package dev.perigee.testing.docs;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Command lines that are not run here.
 *
 * @param lines which
 * @param reason why not
 */
record NotRun(Pattern lines, String reason) {

    private static final List<NotRun> ALL =
            List.of(
                    of("^(scripts/test|\\.ci/run)\\b", "it takes minutes, and runs this test"),
                    of("^scripts/perigee (bench|nemesis)\\b(?!.*--help)", "it takes minutes"),
                    of("^promtool test rules\\b", "RulesTest runs it"),
                    of("^cp infra/testing/target/console/", "it copies what ConsoleTest leaves"),
                    of("^(scripts/images|docker|podman)\\b", "it needs a container engine"),
                    of("^(helm|kubectl)\\b", "it needs a Kubernetes cluster"),
                    of("^(sudo|apt-get|systemctl)\\b", "it needs the rights of root"),
                    of("\\b(kafka|gateway)\\.properties\\b", "it needs the reader's own cluster"));

    private static NotRun of(String lines, String reason) {
        return new NotRun(Pattern.compile(lines), reason);
    }

    /** Why a line is not run; null when it is. */
    static @Nullable String reason(Step step) {
        for (var each : ALL) {
            if (each.lines().matcher(step.text()).find()) {
                return each.reason();
            }
        }
        return null;
    }
}
