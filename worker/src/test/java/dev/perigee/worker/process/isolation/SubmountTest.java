package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.process.LaunchSpec;
import dev.perigee.worker.process.LauncherOptions;
import dev.perigee.worker.process.ProcessLaunchers;
import dev.perigee.worker.process.RecordingListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("What is mounted below a path that jailed programs see")
final class SubmountTest {
    @TempDir private Path directory;

    @Test
    void isFoundInTheTableOfMounts() {
        assertThat(
                        Submount.parse(
                                """
                                36 35 98:0 / / rw,noatime master:1 - ext3 /dev/root rw
                                37 36 0:5 /a /srv/two\\040words rw - tmpfs none rw,size=4k
                                38 36 0:5 /b /srv/back\\134slash ro shared:2 - tmpfs none rw
                                39 36 0:6 / /srv/two\\040words rw - tmpfs none rw
                                """))
                .containsExactly(
                        Path.of("/"), Path.of("/srv/two words"), Path.of("/srv/back\\slash"));
    }

    @Test
    void isSeenBelowALinkToo() throws Exception {
        var outer = Files.createDirectories(directory.toRealPath().resolve("real/outer"));
        var inner = Files.createDirectories(outer.resolve("inner"));
        var link = Files.createSymbolicLink(directory.resolve("link"), Path.of("real"));
        var real = directory.toRealPath().resolve("real");
        var points = List.of(Path.of("/"), inner, outer, outer.resolve("gone"), real);
        assertThat(Submount.below(link, points))
                .containsExactly(
                        new Submount(outer, link.resolve("outer")),
                        new Submount(inner, link.resolve("outer/inner")));
    }

    @ParameterizedTest
    @MethodSource("dev.perigee.worker.process.isolation.JailKind#here")
    @DisplayName("TEN-17: is as read-only as the path itself")
    void isReadOnly(JailKind kind) throws Exception {
        Jails.open(directory.resolve("caches"), kind.with(Map.of())).close();
        var visible = directory.resolve("visible");
        Files.createDirectories(visible.resolve("below"));
        var script =
                "mount -t tmpfs none %1$s/below && mkdir -m 777 %1$s/below/open && exec \"$@\""
                        .formatted(visible);
        var heard = new RecordingListener();
        try (var launcher = ProcessLaunchers.create(LauncherOptions.defaults())) {
            launcher.launch(
                    new LaunchSpec(
                            List.of(
                                    "unshare",
                                    "--user",
                                    "--map-root-user",
                                    "--mount",
                                    "sh",
                                    "-c",
                                    script,
                                    "sh",
                                    ProcessHandle.current().info().command().orElseThrow(),
                                    "--enable-native-access=ALL-UNNAMED",
                                    "-Xmx64m",
                                    "-XX:TieredStopAtLevel=1",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    JailedScript.class.getName(),
                                    directory.resolve("caches").toString(),
                                    kind.name(),
                                    visible.toString(),
                                    "cd %s; echo x > f; ls below; echo x > below/open/f; echo $?"
                                            .formatted(visible)),
                            System.getenv(),
                            null),
                    heard);
            heard.awaitExit();
        }
        heard.awaitClosed();
        assertThat(heard.stdout())
                .as(heard.stderr())
                .contains("cannot create f: Read-only file system", "open\n")
                .contains("cannot create below/open/f: Read-only file system")
                .doesNotContain("\n0\n");
    }
}
