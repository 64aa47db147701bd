package dev.perigee.testing.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.testing.Checkout;
import dev.perigee.testing.NpmServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The certified OpenID provider of npm, {@code oidc-provider}, with its own pages for logins. Its
 * site, localhost, is another than that of a console at 127.0.0.1. Hostile ones are in the unit
 * tests.
 */
final class LoginProvider implements AutoCloseable {
    static final String SECRET = "a secret of tests";

    /** Address of the console before it is known. */
    static final String REDIRECT = "http://127.0.0.1:1/console/oidc/callback";

    private final Process process;
    private final String issuer;

    /** Returns when it runs. */
    LoginProvider() throws IOException {
        var npm = NpmServers.installed();
        process =
                new ProcessBuilder(
                                npm.node(),
                                Checkout.root()
                                        .resolve("infra/testing/fixtures/oidc/provider.mjs")
                                        .toString(),
                                npm.modules().resolve("oidc-provider").toString(),
                                REDIRECT)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
        issuer =
                CompletableFuture.supplyAsync(() -> firstLine(out), Thread::startVirtualThread)
                        .completeOnTimeout("it says nothing", 60, TimeUnit.SECONDS)
                        .join();
        if (!issuer.startsWith("http://localhost:")) {
            close();
            throw new IOException("oidc-provider did not start: " + issuer);
        }
    }

    private static String firstLine(BufferedReader out) {
        try {
            return String.valueOf(out.readLine());
        } catch (IOException e) {
            return "its output ended: " + e.getMessage();
        }
    }

    String issuer() {
        return issuer;
    }

    /** The console's address, which is known when it runs. */
    void console(String url) throws IOException {
        Writer input = process.outputWriter(UTF_8);
        input.write(url + "/oidc/callback\n");
        input.flush();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
