package dev.perigee.worker.process.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands that let users of this host make namespaces, by which of the kernel's switches
 * forbid it.
 *
 * @param switches {@code /proc/sys}
 * @param marks files of which one exists in a container
 */
record NamespaceAdvice(Path switches, List<Path> marks) {
    private static final String CONTAINER =
            "docker run --security-opt seccomp=infra/images/worker/seccomp.json"
                    + " --security-opt apparmor=perigee-worker --security-opt"
                    + " systempaths=unconfined (the chart's worker.jail), where its host has"
                    + " AppArmor after apparmor_parser --replace infra/images/worker/apparmor.profile";

    NamespaceAdvice {
        marks = List.copyOf(marks);
    }

    /** That for the host on which this program runs. */
    static NamespaceAdvice here() {
        return new NamespaceAdvice(
                Path.of("/proc/sys"),
                List.of(Path.of("/.dockerenv"), Path.of("/run/.containerenv")));
    }

    /** What to run, as part of a sentence; never empty. */
    String text() {
        var commands = new ArrayList<String>();
        unset("kernel.unprivileged_userns_clone", "0", "1", commands);
        unset("user.max_user_namespaces", "0", "15000", commands);
        unset("kernel.apparmor_restrict_unprivileged_userns", "1", "0", commands);
        if (marks.stream().anyMatch(Files::exists)) {
            commands.add(CONTAINER);
            return "allow this container to make namespaces: " + String.join(", ", commands);
        }
        return commands.isEmpty()
                ? "allow its users to make namespaces (unshare --user true tries it), in a"
                        + " container by "
                        + CONTAINER
                : "allow its users to make namespaces: " + String.join(", ", commands);
    }

    private void unset(String name, String forbids, String allows, List<String> commands) {
        try {
            var value = Files.readString(switches.resolve(name.replace('.', '/'))).strip();
            if (value.equals(forbids)) {
                commands.add("sysctl -w " + name + "=" + allows);
            }
        } catch (IOException e) {
            // A kernel without this switch.
        }
    }
}
