package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("The profile of a worker's container")
final class ContainerProfileTest {
    private static final Path FILE = Path.of("../infra/images/worker/seccomp.json");
    private static final List<String> FOR_JAILS =
            List.of("ioprio_set", "mount", "pivot_root", "sethostname", "umount2");

    @Test
    @DisplayName("TEN-13: allows what jailed programs may do, what making jails takes, and no more")
    void isTheListAndJails() throws Exception {
        var rules = new JsonMapper().readTree(Files.readString(FILE));
        assertThat(rules.path("defaultAction").asString()).isEqualTo("SCMP_ACT_ERRNO");
        assertThat(rules.path("syscalls").size()).isEqualTo(2);
        var refused = rules.path("syscalls").path(0);
        assertThat(refused.path("action").asString()).isEqualTo("SCMP_ACT_ERRNO");
        var allowed = rules.path("syscalls").path(1);
        assertThat(allowed.path("action").asString()).isEqualTo("SCMP_ACT_ALLOW");

        var expected = new TreeSet<>(SyscallList.names());
        SyscallRule.ALL.stream()
                .filter(rule -> rule.allowed().isEmpty())
                .filter(rule -> rule.errno() == SyscallRule.ENOSYS)
                .map(SyscallRule::name)
                .forEach(expected::remove);
        expected.addAll(FOR_JAILS);
        assertThat(allowed.path("names").valueStream().map(name -> name.asString()).toList())
                .containsExactlyElementsOf(expected);
    }
}
