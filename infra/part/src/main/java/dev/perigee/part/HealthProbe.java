package dev.perigee.part;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;

/**
 * Health check of a container whose image has no program that speaks HTTP: {@code HealthProbe URL}
 * ends with 0 when the page answers 200, else with 1 after printing what it says, 4 KiB at most. It
 * follows no redirect and uses no proxy. Connecting and each read have 5 s; the engine's timeout
 * bounds the whole.
 */
public final class HealthProbe {
    private static final int PATIENCE_MILLIS = 5_000;
    private static final int SHOWN = 4_096;

    private HealthProbe() {}

    /** Asks one page and ends the JVM. */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out));
    }

    static int run(String[] arguments, PrintStream out) {
        if (arguments.length != 1) {
            out.println("Which page? HealthProbe URL");
            return ExitCode.USAGE;
        }
        try {
            return ask(URI.create(arguments[0]), out);
        } catch (IOException | IllegalArgumentException | ClassCastException e) {
            out.println(arguments[0] + " does not answer: " + e);
            return ExitCode.FAILED;
        }
    }

    private static int ask(URI page, PrintStream out) throws IOException {
        var connection = (HttpURLConnection) page.toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(PATIENCE_MILLIS);
        connection.setReadTimeout(PATIENCE_MILLIS);
        connection.setInstanceFollowRedirects(false);
        int status = connection.getResponseCode();
        if (status == HttpURLConnection.HTTP_OK) {
            return ExitCode.OK;
        }
        out.println(page + " answers " + status);
        try (var body = connection.getErrorStream()) {
            if (body != null) {
                out.println(VisibleText.block(new String(body.readNBytes(SHOWN), UTF_8)));
            }
        }
        return ExitCode.FAILED;
    }
}
