package dev.perigee.local.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** One run of the command line inside the test's JVM. */
record CliRun(int exitCode, String out, String err) {
    static CliRun of(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        var exitCode =
                Perigee.commandLine(new PrintWriter(out), new PrintWriter(err)).execute(arguments);
        return new CliRun(exitCode, out.toString(), err.toString());
    }
}
