package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("TEN-16: Where namespaces are forbidden, the command that allows them is given")
final class NamespaceAdviceTest {
    @TempDir private Path directory;

    private void set(String name, String value) throws Exception {
        var file = directory.resolve(name.replace('.', '/'));
        Files.createDirectories(file.getParent());
        Files.writeString(file, value + "\n");
    }

    private String advice(Path mark) {
        return new NamespaceAdvice(directory, List.of(mark)).text();
    }

    @ParameterizedTest
    @CsvSource({
        "kernel.unprivileged_userns_clone, 0, 1",
        "user.max_user_namespaces, 0, 15000",
        "kernel.apparmor_restrict_unprivileged_userns, 1, 0"
    })
    void bySwitch(String name, String forbids, String allows) throws Exception {
        set(name, forbids);
        assertThat(advice(directory.resolve("none")))
                .contains("sysctl -w " + name + "=" + allows)
                .doesNotContain("docker");
        set(name, "7");
        assertThat(advice(directory.resolve("none"))).doesNotContain("sysctl");
    }

    @Test
    void byEachSwitchThatForbids() throws Exception {
        set("kernel.unprivileged_userns_clone", "0");
        set("user.max_user_namespaces", "0");
        assertThat(advice(directory.resolve("none")))
                .isEqualTo(
                        "allow its users to make namespaces: sysctl -w"
                                + " kernel.unprivileged_userns_clone=1, sysctl -w"
                                + " user.max_user_namespaces=15000");
    }

    @Test
    void inAContainer() throws Exception {
        assertThat(advice(directory))
                .contains(
                        "this container",
                        "--security-opt seccomp=infra/images/worker/seccomp.json",
                        "--security-opt apparmor=perigee-worker",
                        "apparmor_parser --replace infra/images/worker/apparmor.profile")
                .doesNotContain("unshare", "apparmor=unconfined", "sysctl");
        set("user.max_user_namespaces", "0");
        assertThat(advice(directory))
                .as("a switch of its host does not explain away what the container lacks")
                .contains("sysctl -w user.max_user_namespaces=15000, docker run");
        set("user.max_user_namespaces", "7");
        assertThat(advice(directory.resolve("none"))).contains("unshare --user true");
    }
}
