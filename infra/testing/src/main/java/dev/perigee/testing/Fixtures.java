package dev.perigee.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Start of fixture F, the MCP server over stdio whose every fault can be ordered: {@code
 * infra/testing/fixtures/f.mjs}, whose head lists its start flags and whose tools name its faults.
 */
public final class Fixtures {

    /** The program that runs F and the servers from npm. */
    public static final String NODE = "node";

    /** The program that runs P. */
    public static final String PYTHON = "python3";

    private Fixtures() {}

    /** The script of P, a small server of Python's standard library, to be run by python3. */
    public static Path pythonScript() {
        return Checkout.testing("fixtures/p.py");
    }

    /** The script of a server that is a shell, of which thousands fit on a machine. */
    public static Path smallScript() {
        return Checkout.root().resolve("worker/src/test/resources/small.sh");
    }

    /** The script of F. */
    public static Path script() {
        return Checkout.testing("fixtures/f.mjs");
    }

    /** The script of A, which asks while it runs a call; its head says how it is run. */
    public static Path askingScript() {
        return Checkout.testing("fixtures/asking.mjs");
    }

    /** Fixture S, of revision 2026-07-28, with what MCP's conformance suite asks servers for. */
    public static Path suiteScript() {
        return Checkout.testing("fixtures/suite.mjs");
    }

    /** The script of R, which asks by its answers; its head says how it is run. */
    public static Path roundsScript() {
        return Checkout.testing("fixtures/rounds.mjs");
    }

    /** The script of T, whose calls are tasks; its head says how it is run. */
    public static Path tasksScript() {
        return Checkout.testing("fixtures/tasks.mjs");
    }

    /**
     * The script of O, an MCP server with its authorization server; its head says how it is run.
     */
    public static Path oauthScript() {
        return Checkout.testing("fixtures/oauth.mjs");
    }

    /** The arguments of {@link #NODE} that start F with these flags. */
    public static List<String> args(String... flags) {
        var args = new ArrayList<String>();
        args.add(script().toString());
        args.addAll(List.of(flags));
        return List.copyOf(args);
    }
}
