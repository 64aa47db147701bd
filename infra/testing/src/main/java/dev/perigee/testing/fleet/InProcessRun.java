package dev.perigee.testing.fleet;

import dev.perigee.local.cli.Perigee;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** A command of the command line that was run in this JVM, as one of its own takes seconds. */
record InProcessRun(int exitCode, String out, String err) {

    static InProcessRun here(List<String> arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int exitCode =
                Perigee.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
                        .execute(arguments.toArray(String[]::new));
        return new InProcessRun(exitCode, out.toString(), err.toString());
    }

    /** {@code perigee call} of a tool by the server's user, with more words after its name. */
    static InProcessRun call(
            FleetUnderTest fleet, Installation server, String tool, String... more) {
        var arguments = new ArrayList<>(List.of("call", "--bootstrap", fleet.bootstrap()));
        arguments.addAll(List.of("--team", server.teamId(), "--user", server.userId()));
        arguments.add(server.toolPath(tool));
        arguments.addAll(List.of(more));
        return here(arguments);
    }

    /** All that it printed. */
    String output() {
        return out + err;
    }
}
