package dev.perigee.testing.console;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Headless Chromium with a profile of its own. Starts in the background: the first page waits for
 * it, up to its start timeout. Close leaves no process behind. For one thread.
 */
final class Chromium implements AutoCloseable {
    private static final String LISTENING = "DevTools listening on ";
    private static final int START_SECONDS = 120;
    private static final int END_SECONDS = 5;

    private final Process process;
    private final Path profile;
    private final CompletableFuture<URI> address;
    private @Nullable DevTools connected;

    private Chromium(Process process, Path profile, CompletableFuture<URI> address) {
        this.process = process;
        this.profile = profile;
        this.address = address;
    }

    static Chromium start(Path program) throws IOException {
        var profile = Files.createTempDirectory("perigee-chromium");
        var command =
                new ArrayList<>(
                        List.of(
                                program.toString(),
                                "--headless=new",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "--no-first-run",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--disable-background-networking",
                                "--disable-breakpad",
                                "--disable-component-update",
                                "--disable-crash-reporter",
                                "--disable-extensions",
                                "--disable-sync",
                                "--force-color-profile=srgb",
                                "--hide-scrollbars",
                                "--lang=en-GB"));
        if (System.getProperty("user.name").equals("root")) {
            // Chromium's own sandbox refuses to run for root; the pages are ours.
            command.add("--no-sandbox");
        }
        command.add("about:blank");
        var process =
                new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        var address = new CompletableFuture<URI>();
        Thread.ofPlatform().daemon().name("chromium").start(() -> follow(process, address));
        return new Chromium(process, profile, address);
    }

    private DevTools tools() {
        if (connected == null) {
            try {
                connected = new DevTools(address.get(START_SECONDS, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } catch (ExecutionException | TimeoutException | IOException e) {
                throw new IllegalStateException("Chromium did not start", e);
            }
        }
        return connected;
    }

    private static void follow(Process process, CompletableFuture<URI> address) {
        var said = new StringBuilder();
        try (var lines = new BufferedReader(process.errorReader(StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(LISTENING)) {
                    address.complete(URI.create(line.substring(LISTENING.length()).strip()));
                } else if (!address.isDone()) {
                    said.append(line).append('\n');
                }
            }
        } catch (IOException | UncheckedIOException e) {
            // The process is gone.
        }
        address.completeExceptionally(new IOException("It said: " + said));
    }

    /** A new page, in a browser that knows nothing of the others: no cookies, no storage. */
    Page page() {
        var tools = tools();
        var context =
                tools.call(null, "Target.createBrowserContext", DevTools.parameters())
                        .get("browserContextId")
                        .asString();
        var target =
                tools.call(
                                null,
                                "Target.createTarget",
                                DevTools.parameters()
                                        .put("url", "about:blank")
                                        .put("browserContextId", context))
                        .get("targetId")
                        .asString();
        var session =
                tools.call(
                                null,
                                "Target.attachToTarget",
                                DevTools.parameters().put("targetId", target).put("flatten", true))
                        .get("sessionId")
                        .asString();
        return new Page(tools, session);
    }

    private static void kill(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        if (connected != null) {
            connected.close();
        }
        process.destroy();
        try {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
            kill(process);
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try (var files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        } catch (IOException | UncheckedIOException e) {
            // A last process may still write there; the directory is in the system's temporary one.
        }
    }
}
