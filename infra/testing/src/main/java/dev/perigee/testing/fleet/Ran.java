package dev.perigee.testing.fleet;

import dev.perigee.local.cli.Perigee;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** A command of the command line that was run in this JVM, as one of its own takes seconds. */
record Ran(int exitCode, String output) {

    static Ran here(List<String> arguments) {
        var output = new StringWriter();
        var writer = new PrintWriter(output);
        int exitCode =
                Perigee.commandLine(writer, writer).execute(arguments.toArray(String[]::new));
        return new Ran(exitCode, output.toString());
    }
}
