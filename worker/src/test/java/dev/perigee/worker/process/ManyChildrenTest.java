package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Five hundred children cost no thread each, and none of their descriptors is left afterwards. */
final class ManyChildrenTest {

    private static final int COUNT = 500;

    private static int threads() throws IOException {
        return entries("/proc/self/task");
    }

    private static int entries(String directory) throws IOException {
        try (var entries = Files.list(Path.of(directory))) {
            return (int) entries.count();
        }
    }

    @Test
    @DisplayName("500 idle children add fewer than 10 threads, and all still answer")
    void needsNoThreadPerChild() throws Exception {
        var threadsBefore = threads();
        var filesBefore = entries("/proc/self/fd");
        var cat = new LaunchSpec(List.of("cat"), Map.of("PATH", "/usr/bin:/bin"), null);
        var listeners = new ArrayList<RecordingListener>();
        var children = new ArrayList<ChildProcess>();
        try (var launcher = NativeProcessLauncher.start(LauncherOptions.defaults())) {
            for (var index = 0; index < COUNT; index++) {
                var listener = new RecordingListener();
                listeners.add(listener);
                children.add(launcher.launch(cat, listener));
            }
            assertThat(threads() - threadsBefore).isLessThan(10);
            for (var child : children) {
                child.write("hello\n".getBytes(StandardCharsets.UTF_8), Duration.ofSeconds(5));
                child.closeStdin();
            }
            listeners.forEach(RecordingListener::awaitClosed);
            assertThat(listeners)
                    .allMatch(listener -> listener.stdout().equals("hello\n"))
                    .allMatch(listener -> ExitStatus.exited(0).equals(listener.exit()));
        }
        await().until(() -> entries("/proc/self/fd") <= filesBefore + 5);
    }

    @Test
    @DisplayName("a child sees its three streams and no descriptor of the worker's")
    void leaksNoDescriptor() throws Exception {
        var heard = new RecordingListener();
        var list = new LaunchSpec(List.of("ls", "/proc/self/fd"), Map.of("PATH", "/bin"), null);
        try (var launcher = NativeProcessLauncher.start(LauncherOptions.defaults());
                var _ = new ServerSocket(0)) {
            launcher.launch(list, heard);
            heard.awaitClosed();
            // The fourth is the directory that ls itself has open.
            assertThat(heard.stdout().lines()).containsExactly("0", "1", "2", "3");
        }
    }

    @Test
    @DisplayName("a child blocks and ignores no signal, and leads a session")
    void startsWithACleanState() throws Exception {
        var heard = new RecordingListener();
        var show =
                new LaunchSpec(
                        List.of("grep", "-E", "^Sig(Blk|Ign)|^NSsid|^NSpid", "/proc/self/status"),
                        Map.of("PATH", "/bin"),
                        null);
        try (var launcher = NativeProcessLauncher.start(LauncherOptions.defaults())) {
            var child = launcher.launch(show, heard);
            heard.awaitClosed();
            assertThat(heard.stdout())
                    .contains("SigBlk:\t0000000000000000")
                    // The C library itself ignores its two internal signals in what it spawns.
                    .contains("SigIgn:\t0000000180000000")
                    .contains("NSsid:\t" + child.pid());
        }
    }
}
