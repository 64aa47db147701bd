package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Fixtures;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Shells, of which any machine has room for so many. */
@DisplayName("Many servers, through topics")
@ExtendWith(SharedFleet.class)
final class ManyServersTest {
    private static final int COUNT = 120;

    private final Backend backend;

    ManyServersTest(Backend backend) {
        this.backend = backend;
    }

    @Test
    @DisplayName("PRO-104: more than a hundred run at once, each a process of its own")
    void runAtOnce() {
        var servers =
                backend.install(Stream.generate(ManyServersTest::small).limit(COUNT).toList());

        var calls = servers.stream().map(server -> backend.request(server, "pid", "{}")).toList();
        var pids =
                backend.answers(calls).stream()
                        .map(answer -> answer.text("result/content/0/text"))
                        .toList();

        assertThat(pids).hasSize(COUNT).doesNotHaveDuplicates().allMatch(ManyServersTest::isAlive);
        var removals =
                servers.stream()
                        .map(server -> backend.command(server, "configure", Backend::removal))
                        .toList();
        removals.forEach(
                removal ->
                        assertThat(backend.result(removal).text("outcome")).isEqualTo("completed"));
        assertThat(pids).noneMatch(ManyServersTest::isAlive);
    }

    private static Installation small() {
        return Installation.of("small", "sh", List.of(Fixtures.smallScript().toString()));
    }

    private static boolean isAlive(String pid) {
        return ProcessHandle.of(Long.parseLong(pid)).filter(ProcessHandle::isAlive).isPresent();
    }
}
