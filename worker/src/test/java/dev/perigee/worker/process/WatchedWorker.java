package dev.perigee.worker.process;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * A small worker in a JVM of its own for tests to kill and to freeze. Arguments: worker id,
 * incarnation, retention in seconds, and anything more for the portable launcher. Starts two
 * children that ignore the end of their input and SIGTERM, each with a grandchild that left the
 * session; prints their first lines, {@code watchdog PID}, then {@code up}; prints {@code lost} and
 * whether a launch is refused when the lease is lost.
 */
final class WatchedWorker {

    private static final String STUBBORN =
            "trap '' TERM INT HUP; echo child $$;"
                    + " (setsid bash -c 'trap \"\" TERM HUP; echo grandchild $$; exec 0<&-;"
                    + " while :; do sleep 1; done' &);"
                    + " while :; do sleep 1; done";

    private WatchedWorker() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws Exception {
        var owner = new ProcessOwner(arguments[0], arguments[1]);
        var retention = Duration.ofSeconds(Long.parseLong(arguments[2]));
        var options = LauncherOptions.defaults();
        var launcher =
                arguments.length > 3
                        ? new PortableProcessLauncher(options)
                        : ProcessLaunchers.create(options);
        var lost = new CountDownLatch(1);
        var watchdog = Watchdog.start(owner, retention, launcher, lost::countDown);
        var owned =
                new OwnedLauncher(
                        launcher, owner, watchdog, new Termination(), Duration.ofSeconds(1));
        var spec =
                new LaunchSpec(
                        List.of("bash", "-c", STUBBORN), Map.of("PATH", "/usr/bin:/bin"), null);
        owned.launch(spec, new Echo());
        owned.launch(spec, new Echo());
        say("watchdog " + watchdog.pid());
        say("up");
        lost.await();
        say("lost");
        try {
            owned.launch(spec, new Echo());
            say("launched");
        } catch (LaunchException e) {
            say("refused " + e.reason());
        }
        Thread.currentThread().join();
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static final class Echo implements ChildListener {
        @Override
        public void onStdout(ByteBuffer bytes) {
            say(StandardCharsets.UTF_8.decode(bytes).toString().strip());
        }

        @Override
        public void onStderr(ByteBuffer bytes) {}

        @Override
        public void onExit(ExitStatus status) {}

        @Override
        public void onClosed() {}
    }
}
